// A dialog of the browser's own: it takes the focus, Escape closes it, and what is behind it can't be reached.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "./primitives.tsx";

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** `onClose` is called however it was closed. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the next key, which may be the first of what is typed into it.
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    // What somebody wants to type into, before the button that closes it.
    dialog.current?.querySelector<HTMLElement>("input, textarea, select")?.focus();
    // Back to where the reader was.
    return () => before instanceof HTMLElement && before.focus();
  }, []);
  // In a field for a search it would only empty that.
  const onKeyDown = ({ key }: KeyboardEvent) => key === "Escape" && dialog.current?.close();
  return (
    <dialog ref={dialog} aria-label={title} onClose={onClose} onKeyDown={onKeyDown}>
      <header class="dialog-head">
        <h2>{title}</h2>
        <Button class="plain" onClick={() => dialog.current?.close()}>
          Close
        </Button>
      </header>
      {children}
    </dialog>
  );
}

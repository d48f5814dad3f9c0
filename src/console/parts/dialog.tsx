// A native modal dialog, closed by Escape.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "./primitives.tsx";

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** `onClose` is called however the dialog was closed. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // A layout effect moves the focus before the next key is pressed.
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    // The first field gets the focus, not the close button.
    dialog.current?.querySelector<HTMLElement>("input, textarea, select")?.focus();
    // Closing the dialog restores the previous focus.
    return () => before instanceof HTMLElement && before.focus();
  }, []);
  // Escape would only clear a search field, so the dialog closes explicitly.
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

// Components with which the user acts: buttons and forms that show their error, a dialog, and the filter of a list.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useAction } from "../query.ts";
import { getQuery, setQuery } from "../router.ts";
import { Button, Problem } from "./primitives.tsx";

interface ActionButtonProps {
  run: () => Promise<unknown>;
  class?: string;
  /** The accessible name, which begins with the visible text. */
  label?: string;
  isDisabled?: boolean;
  /** For actions that can't be undone: the button itself asks for confirmation. Moving the focus away cancels. */
  mustConfirm?: boolean;
  children: ComponentChildren;
}

/** A button that runs an action and shows its error. It is disabled while the action runs. */
export function ActionButton({ run, label, isDisabled, mustConfirm, children, ...props }: ActionButtonProps) {
  const action = useAction();
  const [isAsking, ask] = useState(false);
  const press = () => {
    if (mustConfirm) ask(!isAsking);
    if (isAsking || !mustConfirm) void action.run(run);
  };
  return (
    <>
      <Button
        class={mustConfirm ? "small-button danger" : props.class}
        aria-label={isAsking ? `${label}: really?` : label}
        disabled={action.isRunning || isDisabled}
        onBlur={() => ask(false)}
        onClick={press}
      >
        {isAsking ? "Really?" : children}
      </Button>
      <Problem text={action.problem} />
    </>
  );
}

interface ActionFormProps {
  /** Receives the texts of the fields by their names. */
  run: (values: Readonly<Record<string, string>>) => Promise<unknown>;
  class: string;
  children: ComponentChildren;
}

/** A form that runs an action and shows its error. */
export function ActionForm({ run, children, ...props }: ActionFormProps) {
  const action = useAction();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const fields = [...new FormData(event.currentTarget as HTMLFormElement)];
    void action.run(() => run(Object.fromEntries(fields.map(([name, value]) => [name, String(value).trim()]))));
  };
  return (
    <form {...props} onSubmit={submit}>
      {children}
      <Problem text={action.problem} />
    </form>
  );
}

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** A native modal dialog, closed by Escape. `onClose` is called however the dialog was closed. */
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
      <header class="bar">
        <h2 class="grow">{title}</h2>
        <Button class="plain" onClick={() => dialog.current?.close()}>
          Close
        </Button>
      </header>
      {children}
    </dialog>
  );
}

interface FilterProps {
  label: string;
  /** The default is the label. */
  placeholder?: string;
  /** The parameter of the address that holds the text. */
  name?: string;
  class?: string;
}

/** A search field that writes its text to the address, where the screen reads it. Bookmarks keep it. */
export const Filter = ({ label, placeholder = label, name = "q", ...props }: FilterProps) => (
  <input
    {...props}
    type="search"
    placeholder={placeholder}
    aria-label={label}
    value={getQuery(name)}
    onInput={({ currentTarget }) => setQuery({ [name]: currentTarget.value })}
  />
);

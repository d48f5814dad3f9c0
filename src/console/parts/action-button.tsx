// A button that runs an action and shows its error.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { describeError } from "../api.ts";
import { Button, Problem } from "./primitives.tsx";

interface ActionButtonProps {
  run: () => Promise<unknown>;
  class?: string;
  /** The accessible name, which begins with the visible text. */
  label?: string;
  isDisabled?: boolean;
  children: ComponentChildren;
}

/** The button is disabled while the action runs. */
export function ActionButton({ run, class: look, label, isDisabled = false, children }: ActionButtonProps) {
  const [problem, setProblem] = useState("");
  const [isRunning, setRunning] = useState(false);
  const press = async () => {
    setRunning(true);
    setProblem(await run().then(() => "", describeError));
    setRunning(false);
  };
  return (
    <>
      <Button class={look} aria-label={label} disabled={isRunning || isDisabled} onClick={() => void press()}>
        {children}
      </Button>
      <Problem text={problem} />
    </>
  );
}

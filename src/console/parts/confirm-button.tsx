// A button for actions that can't be undone. It asks for confirmation.

import { useState } from "preact/hooks";
import { Button } from "./primitives.tsx";

/** The button itself asks for confirmation, without a dialog. Moving the focus away cancels. */
export function ConfirmButton({ label, onYes, verb = "Remove" }: { label: string; onYes: () => void; verb?: string }) {
  const [isAsking, ask] = useState(false);
  return (
    <Button
      class="small-button danger"
      aria-label={isAsking ? `${label}: really?` : label}
      onBlur={() => ask(false)}
      onClick={() => (isAsking ? onYes() : ask(true))}
    >
      {isAsking ? "Really?" : verb}
    </Button>
  );
}

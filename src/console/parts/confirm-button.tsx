// A button for what can't be undone: it asks once more.

import { useState } from "preact/hooks";
import { Button } from "./primitives.tsx";

/** Asks in its own place: a dialog for each small removal would be in the way. Leaving it takes the question back. */
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

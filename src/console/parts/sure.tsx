// A button for what can't be undone: it asks once more.
import { useState } from "preact/hooks";

export function Sure({ label, onYes, verb = "Remove" }: { label: string; onYes: () => void; verb?: string }) {
  const [isAsked, ask] = useState(false);
  return (
    <button
      type="button"
      class="small-button danger"
      aria-label={isAsked ? `${label}: really?` : label}
      onBlur={() => ask(false)}
      onClick={() => (isAsked ? onYes() : ask(true))}
    >
      {isAsked ? "Really?" : verb}
    </button>
  );
}

// What a move of the clock did.

import type { Schemas } from "../api.ts";
import { Button } from "../parts/primitives.tsx";
import { DueLine } from "./due-line.tsx";

/** `lines`: what was done, in order; none after a rewind. */
export interface MoveOutcome {
  title: string;
  lines: readonly { at: string; what: string; id: string; facts: readonly { fact: string; id: string }[] }[];
  /** What fell due, as it was listed before: what it is called, and the clocks of where it is. */
  named?: ReadonlyMap<string, Schemas["Due"]>;
  more?: string;
  /** The change to go back to, which takes this back. */
  undo?: number;
}

interface ReceiptProps {
  outcome: MoveOutcome;
  onClose: () => void;
  onUndo: (to: number) => void;
}

/** It stays until it is closed, and has the role `status`, so that readers of the screen hear it. */
export function Receipt({ outcome: { title, lines, named, more, undo }, onClose, onUndo }: ReceiptProps) {
  return (
    <section class="panel receipt" aria-label="Receipt" role="status">
      <div class="bar">
        <h2>{title}</h2>
        <span class="grow" />
        {undo !== undefined && <Button onClick={() => onUndo(undo)}>Undo this</Button>}
        <Button class="plain" onClick={onClose}>
          Close
        </Button>
      </div>
      {more && <p>{more}</p>}
      <ol class="plain-list">
        {lines.map((line, index) => (
          <DueLine
            key={index}
            {...named?.get(line.id)}
            {...line}
            says={line.facts.map(({ fact }) => fact).join(", ")}
          />
        ))}
      </ol>
    </section>
  );
}

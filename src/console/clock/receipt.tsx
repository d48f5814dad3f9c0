// The summary of a clock move.

import type { Schemas } from "../api.ts";
import { Button } from "../parts/primitives.tsx";
import { DueLine } from "./due-line.tsx";

/** `lines` lists what happened, in order. A rewind has no lines. */
export interface MoveOutcome {
  title: string;
  lines: readonly { at: string; what: string; id: string; facts: readonly { fact: string; id: string }[] }[];
  /** The items that were due before the move, for their titles and local times. */
  named?: ReadonlyMap<string, Schemas["Due"]>;
  more?: string;
  /** The change to rewind to in order to undo this. */
  undo?: number;
}

interface ReceiptProps {
  outcome: MoveOutcome;
  onClose: () => void;
  onUndo: (to: number) => void;
}

/** The summary stays until it is closed. The role `status` makes screen readers announce it. */
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

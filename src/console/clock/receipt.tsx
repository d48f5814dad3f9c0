// What a move of the clock did.
import type { Schemas } from "../api.ts";
import { StoryLink } from "../parts/links.tsx";

type Counts = Schemas["MoveCounts"];

/** "7 due, 35 deliveries" */
export const countsText = ({ due, deliveries }: Counts): string =>
  due + deliveries === 0 ? "nothing" : `${due} due, ${deliveries} ${deliveries === 1 ? "delivery" : "deliveries"}`;

/** `lines`: what was done, in order; none after a rewind. */
export interface MoveOutcome {
  title: string;
  lines: readonly { at: string; what: string; id: string; facts: readonly { fact: string; id: string }[] }[];
  more?: string;
  /** The change to go back to, which takes this back. */
  undo?: number;
}

interface ReceiptProps {
  outcome: MoveOutcome;
  onClose: () => void;
  onUndo: (to: number) => void;
}

export function Receipt({ outcome: { title, lines, more, undo }, onClose, onUndo }: ReceiptProps) {
  return (
    <section class="panel receipt" aria-label="Receipt" role="status">
      <div class="bar">
        <h2>{title}</h2>
        <span class="grow" />
        {undo !== undefined && (
          <button type="button" onClick={() => onUndo(undo)}>
            Undo this
          </button>
        )}
        <button type="button" class="plain" onClick={onClose}>
          Close
        </button>
      </div>
      {more && <p>{more}</p>}
      <ol class="plain-list">
        {lines.map(({ at, what, id, facts }, index) => (
          <li key={index}>
            <span class="quiet">{at.slice(0, 16).replace("T", " ")}</span> {what} <StoryLink id={id} />{" "}
            <span class="quiet small">{facts.map(({ fact }) => fact).join(", ")}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

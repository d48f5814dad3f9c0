// The causes and effects of a story: facts, records, ledger entries, webhooks and the next requests.

import { createStory, type Piece, type StoryLine, toEntryLine } from "../../client/why-story.ts";
import { count } from "../../platform/count.ts";
import type { Schemas } from "../api.ts";
import { ShortId } from "../parts/links.tsx";
import { Badge } from "../parts/primitives.tsx";
import { toHref } from "../router.ts";
import { toSentenceCase } from "../to-sentence-case.ts";

/** Lines may be longer than in a terminal, and changed fields are folded. */
const WORDING = { longest: 120, grouped: true };

export function Consequences({ why }: { why: Schemas["Why"] }) {
  return (
    <>
      {createStory(why, WORDING).map(({ title, lines }) => (
        <Section key={title} title={title} lines={lines} />
      ))}
    </>
  );
}

/** The ledger entries of a story, without its other sections. */
export const Entries = ({ entries }: Pick<Schemas["Why"], "entries">) => (
  <Section title="ledger" lines={entries.map((entry) => toEntryLine(entry, WORDING))} />
);

function Section({ title, lines }: { title: string; lines: readonly StoryLine[] }) {
  return (
    <section class="panel">
      <h2>{toSentenceCase(title)}</h2>
      <ul class="plain-list">
        {lines.map((line, index) => (
          <Line key={index} line={line} />
        ))}
      </ul>
    </section>
  );
}

/** The order of lines never changes while a story is shown, so the index is a sufficient key. */
function Line({ line: { pieces, between = " ", below = [], folded } }: { line: StoryLine }) {
  const words = pieces.map((piece, index) => (
    <span key={index}>
      {index > 0 && between}
      <PieceView piece={piece} />
    </span>
  ));
  // Changed fields are folded, because they are many and few readers need them.
  const list = (
    <ul>
      {below.map((each, index) => (
        <Line key={index} line={each} />
      ))}
    </ul>
  );
  return (
    <li>
      {words}
      {below.length > 0 && !folded && list}
      {folded && (
        <details>
          <summary class="quiet small">{count(below.length, "member")}</summary>
          {list}
        </details>
      )}
    </li>
  );
}

/** The badge colours for the tones of the shared story text. */
const TONES = { good: "ok", open: "warn", bad: "bad" } as const;

function PieceView({ piece: { text, as, refers } }: { piece: Piece }) {
  if (refers) {
    const [screen, ...rest] = refers;
    return (
      <a href={toHref(screen, rest)}>
        <ShortId id={text} />
      </a>
    );
  }
  if (as === "quiet") return <span class="quiet">{text}</span>;
  if (as === "kind") return <strong>{text}</strong>;
  return as ? <Badge tone={TONES[as]}>{text}</Badge> : <span>{text}</span>;
}

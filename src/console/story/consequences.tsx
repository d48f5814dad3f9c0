// What led to it and what followed from it: causes, facts, records, ledger entries, webhooks with the answers of their receivers, next calls.

import { createStory, type Piece, type StoryLine, toEntryLine } from "../../client/why-story.ts";
import { count } from "../../platform/count.ts";
import type { Why } from "../entries.ts";
import { IdLink } from "../parts/links.tsx";
import { Badge } from "../parts/primitives.tsx";
import { toSentenceCase } from "../to-sentence-case.ts";

/** Lines may be longer than in a terminal, and members are folded. */
const WORDING = { longest: 120, grouped: true };

export function Consequences({ why }: { why: Why }) {
  return (
    <>
      {createStory(why, WORDING).map(({ title, lines }) => (
        <Section key={title} title={title} lines={lines} />
      ))}
    </>
  );
}

/** Of a record: the entries that name it, without the rest of a story. */
export const Entries = ({ entries }: Pick<Why, "entries">) => (
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

/** The order never changes while a story is shown, so a position is key enough. */
function Line({ line: { pieces, between = " ", below = [], folded } }: { line: StoryLine }) {
  const words = pieces.map((piece, index) => (
    <span key={index}>
      {index > 0 && between}
      <PieceView piece={piece} />
    </span>
  ));
  // Members of a changed record are many, and few people look for them: they are folded.
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

/** From the words of the story, which the command line paints, to those of the pages. */
const TONES = { good: "ok", open: "warn", bad: "bad" } as const;

function PieceView({ piece: { text, as, refers } }: { piece: Piece }) {
  if (refers) {
    const [screen, ...rest] = refers;
    return <IdLink screen={screen} rest={rest} text={text} />;
  }
  if (as === "quiet") return <span class="quiet">{text}</span>;
  if (as === "kind") return <strong>{text}</strong>;
  return as ? <Badge tone={TONES[as]}>{text}</Badge> : <span>{text}</span>;
}

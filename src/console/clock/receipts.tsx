// What is behind now, the newest first: what somebody did, with its outcome, and the way back to right after it and its deliveries.
import type { ComponentChildren } from "preact";
import { count } from "../../platform/count.ts";
import type { Schemas } from "../api.ts";
import { BEGINNINGS } from "../beginnings.ts";
import { nameOf } from "../entries.ts";
import { Phrases } from "../parts/phrases.tsx";
import { Badge } from "../parts/primitives.tsx";
import { href } from "../router.ts";
import { changed, stories } from "../stores/log.ts";

type Past = Schemas["CommitList"];
type Commit = Past["items"][number];
/** What can be gone back to. */
export type Point = Schemas["Point"];

/** The changes of the history as deeds, the latest first, and what was before the first; each can be gone back to. */
export function Behind({ past, onBack }: { past: Past | undefined; onBack: (point: Point) => void }) {
  // Titles come from the stories, which may be read later than the commits.
  changed.value;
  const deeds = deedsOf(past?.items ?? []);
  return (
    <section class="panel scroll" aria-label="Behind">
      <h2>Behind</h2>
      {past && deeds.length + past.kept.dropped === 0 && (
        <p class="quiet">Nothing has changed since {BEGINNINGS[past.kept.began.why]}.</p>
      )}
      <ol class="plain-list">
        {deeds.toReversed().map((deed, index) => (
          <PointLine
            key={deed.last.seq}
            point={deed.last}
            after={deed.cause.id}
            onBack={index === 0 ? undefined : onBack}
          >
            <Doer deed={deed} />
          </PointLine>
        ))}
        {past && deeds.length > 0 && (
          <PointLine point={past.kept.from} onBack={onBack}>
            {past.kept.dropped > 0 ? "before the earliest change that is kept" : BEGINNINGS[past.kept.began.why]}
          </PointLine>
        )}
      </ol>
      {past && past.kept.dropped > 0 && (
        <p class="quiet">
          {count(past.kept.dropped, "earlier entry is", "earlier entries are")} no longer kept (--log-bytes).
        </p>
      )}
    </section>
  );
}

interface PointLineProps {
  point: Point;
  /** The cause that the point is right after. */
  after?: string;
  /** Absent where the point is now. */
  onBack: ((point: Point) => void) | undefined;
  children: ComponentChildren;
}

function PointLine({ point, after, onBack, children }: PointLineProps) {
  return (
    <li class="commit-line">
      <time class="quiet" dateTime={point.at} title={`Real time ${point.wall_at}`}>
        {point.at.slice(0, 16).replace("T", " ")}
      </time>
      <span class="cut">{children}</span>
      {onBack ? (
        <button
          type="button"
          class="small-button"
          onClick={() => onBack(point)}
          aria-label={`Back here … ${after ? `right after ${after}` : "before these changes"}`}
        >
          Back here …
        </button>
      ) : (
        <Badge tone="info">now</Badge>
      )}
    </li>
  );
}

/** What somebody did: its commits, and the deliveries up to the next one. */
interface Deed {
  cause: Commit["cause"];
  facts: readonly { fact: string }[];
  deliveries: number;
  last: Commit;
}

/** Commits of one cause that follow one another are one deed, and deliveries belong to the one before. */
function deedsOf(commits: readonly Commit[]): Deed[] {
  const deeds: Deed[] = [];
  for (const commit of commits) {
    const { cause, facts } = commit;
    const deed = deeds.at(-1);
    if (deed && (cause.kind === "delivery" || cause.id === deed.cause.id)) {
      deed.last = commit;
      deed.facts = [...deed.facts, ...facts];
      if (cause.kind === "delivery") deed.deliveries++;
    } else deeds.push({ cause, facts, deliveries: cause.kind === "delivery" ? 1 : 0, last: commit });
  }
  return deeds;
}

/** What changes a world without a request or an act. */
const DONE: Readonly<Record<string, string>> = {
  setup: "set up with the world: its webhook address, its clock",
  setAssumptions: "assumptions were flipped",
  rewind: "the world was put back",
};

/** As the log tells it; where the log no longer has it, by its facts. */
export function Doer({ deed: { cause, facts, deliveries } }: { deed: Pick<Deed, "cause" | "facts" | "deliveries"> }) {
  const head = stories.all.findLast((story) => story.head.id === cause.id)?.head;
  const named = head && nameOf(head);
  const phrases = head?.told ?? [];
  return (
    <>
      {cause.kind === "world" ? (
        (DONE[cause.id] ?? cause.id)
      ) : (
        <a href={href("story", [cause.id])} title={cause.id}>
          {named ?? (cause.kind === "clock" ? "clock moved" : cause.id)}
        </a>
      )}{" "}
      <span class="small">
        <Phrases phrases={phrases} />
        {phrases.length === 0 && <span class="quiet">{[...new Set(facts.map(({ fact }) => fact))].join(", ")}</span>}
        {deliveries > 0 && <span class="quiet"> · {count(deliveries, "delivery", "deliveries")}</span>}
      </span>
    </>
  );
}

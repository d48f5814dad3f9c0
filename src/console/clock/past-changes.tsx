// The past changes, newest first, each with a button that rewinds to the point after it and its deliveries.
import type { ComponentChildren } from "preact";
import { count } from "../../platform/count.ts";
import type { Schemas } from "../api.ts";
import { BEGINNINGS } from "../entries.ts";
import { CauseLabel } from "../parts/changes.tsx";
import { Badge, Button, formatInstant } from "../parts/primitives.tsx";

type Point = Schemas["Point"];
type Commit = Schemas["Commit"];
export type Past = Schemas["CommitList"] & { hasOlder: boolean };

interface PastChangesProps {
  past: Past | undefined;
  onBack: (point: Point) => void;
  onOlder: () => void;
}

/** The past changes by cause, newest first, and the point before the first. Each can be the target of a rewind. */
export function PastChanges({ past, onBack, onOlder }: PastChangesProps) {
  if (!past) return <section class="panel" aria-label="Past changes" />;
  const { items, kept, hasOlder } = past;
  const changes = mergeByCause(items);
  return (
    <section class="panel scroll" aria-label="Past changes">
      <h2>Past changes</h2>
      {changes.length + kept.dropped === 0 && (
        <p class="quiet">Nothing has changed since {BEGINNINGS[kept.began.why]}.</p>
      )}
      <ol class="plain-list">
        {changes.toReversed().map((change, index) => (
          <PointLine
            key={change.seq}
            point={change.until ?? change}
            label={`right after ${change.cause.id}`}
            onBack={index === 0 ? undefined : onBack}
          >
            <CauseLabel {...change} />
          </PointLine>
        ))}
        {changes.length > 0 && !hasOlder && (
          <PointLine point={kept.from} label="before these changes" onBack={onBack}>
            {kept.dropped > 0 ? "before the earliest change that is kept" : BEGINNINGS[kept.began.why]}
          </PointLine>
        )}
      </ol>
      {hasOlder && <Button onClick={onOlder}>Load older changes</Button>}
      {kept.dropped > 0 && (
        <p class="quiet">
          {count(kept.dropped, "earlier entry is", "earlier entries are")} no longer kept (--log-bytes).
        </p>
      )}
    </section>
  );
}

interface PointLineProps {
  point: Point;
  label: string;
  /** Undefined if the point is now. */
  onBack: ((point: Point) => void) | undefined;
  children: ComponentChildren;
}

const PointLine = ({ point, label, onBack, children }: PointLineProps) => (
  <li class="commit-line">
    <time class="quiet" dateTime={point.at} title={`Real time ${point.wall_at}`}>
      {formatInstant(point.at)}
    </time>
    <span class="cut">{children}</span>
    {onBack ? (
      <Button class="small-button" onClick={() => onBack(point)} aria-label={`Rewind … ${label}`}>
        Rewind …
      </Button>
    ) : (
      <Badge tone="info">now</Badge>
    )}
  </li>
);

/** Merges consecutive changes of one cause, because a clock move makes one change per due item. */
function mergeByCause(commits: readonly Commit[]): Commit[] {
  const merged: Commit[] = [];
  for (const commit of commits) {
    const last = merged.at(-1);
    if (last?.cause.id === commit.cause.id)
      merged[merged.length - 1] = {
        ...commit,
        facts: [...last.facts, ...commit.facts],
        deliveries: (last.deliveries ?? 0) + (commit.deliveries ?? 0),
      };
    else merged.push(commit);
  }
  return merged;
}

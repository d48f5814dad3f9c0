// What is behind now, the newest first: every commit that is kept, with whose doing it was, and the way back to right after it.
import type { Schemas } from "../api.ts";
import { Badge } from "../parts/bits.tsx";
import { href } from "../router.ts";

type Past = Schemas["CommitList"];
export type Commit = Past["items"][number];

const WHY: Readonly<Record<string, string>> = {
  start: "the sandbox was started",
  opened: "this node opened the world",
  created: "the world was made",
  fork: "the world was forked",
  reset: "the world was reset",
  import: "a world was imported",
  restore: "a snapshot was restored",
  populate: "data was added in bulk",
};

export function Behind({ past, onBack }: { past: Past | undefined; onBack: (commit: Commit) => void }) {
  const commits = past?.items.toReversed() ?? [];
  return (
    <section class="panel scroll" aria-label="Behind">
      <h2>Behind</h2>
      {past && commits.length === 0 && (
        <p class="quiet">
          Nothing has changed since {WHY[past.kept.began.why]}. Every change from now on can be undone from here.
        </p>
      )}
      <ol class="plain-list">
        {commits.map((commit, index) => (
          <li key={commit.seq} class="commit-line">
            <time class="quiet" dateTime={commit.at} title={`Real time ${commit.wall_at}`}>
              {commit.at.slice(0, 16).replace("T", " ")}
            </time>
            <span class="cut">
              <Doer cause={commit.cause} /> <span class="quiet small">{told(commit)}</span>
            </span>
            {index === 0 ? (
              <Badge tone="info">now</Badge>
            ) : (
              <button
                type="button"
                class="small-button"
                onClick={() => onBack(commit)}
                aria-label={`Back to right after ${commit.seq}`}
              >
                Back here …
              </button>
            )}
          </li>
        ))}
      </ol>
      {past && past.kept.dropped > 0 && (
        <p class="quiet">
          {past.kept.dropped} earlier changes are no longer kept (--history-commits, --history-bytes).
        </p>
      )}
    </section>
  );
}

function Doer({ cause: { kind, id } }: Pick<Commit, "cause">) {
  if (kind === "world") return <span>{id}</span>;
  return (
    <>
      {kind}{" "}
      <a class="id" href={href("story", [id])}>
        {id}
      </a>
    </>
  );
}

const told = ({ facts, changes }: Commit): string =>
  facts.length > 0
    ? facts.map(({ fact }) => fact).join(", ")
    : `${changes.length} ${changes.length === 1 ? "record" : "records"}`;

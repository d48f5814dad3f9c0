// What falls due: up to the handle by a dry run, with what would follow; beyond it from the indexes.
import { formatMoveCounts } from "../../client/move-counts.ts";
import { control, type Schemas, unwrap } from "../api.ts";
import { Button, Problem } from "../parts/primitives.tsx";
import { useDebounced } from "../parts/use-debounced.ts";
import { useQuery } from "../query.ts";
import { DueLine } from "./due-line.tsx";
import { toIsoString } from "./scale.ts";

interface DueListProps {
  due: Schemas["DueList"] | undefined;
  /** The same by their ids. */
  named: ReadonlyMap<string, Schemas["Due"]>;
  now: number;
  target: number;
  onMoveTo: (at: number) => void;
}

/** What is due up to the end of the scale, and what a move to `target` would do, by a dry run. */
export function UpcomingList({ due, named, now, target, onMoveTo }: DueListProps) {
  // A dry run costs the sandbox work, so not one for each step of the handle.
  const debouncedTarget = useDebounced(target);
  const { data, problem } = useQuery([debouncedTarget, now], () => tryMove(debouncedTarget, now));
  const later = due?.items.filter(({ at }) => Date.parse(at) > target) ?? [];
  const next = due?.items[0];
  return (
    <section class="panel scroll" aria-label="Ahead">
      <div class="bar">
        <h2>Ahead</h2>
        {next && <Button onClick={() => onMoveTo(Date.parse(next.at))}>To what is next …</Button>}
      </div>
      <Problem text={problem} />
      {data && target > now && (
        <>
          <h3>Up to the handle: {formatMoveCounts(data.counts)}</h3>
          <ul class="plain-list dry">
            {data.receipt.map((line, index) => (
              <DueLine
                key={index}
                {...named.get(line.id)}
                {...line}
                says={line.facts.map(({ fact }) => fact).join(", ")}
              />
            ))}
          </ul>
          {later.length > 0 && <h3>Later</h3>}
        </>
      )}
      <ul class="plain-list">
        {later.map((line) => (
          <DueLine key={`${line.what} ${line.id}`} {...line} />
        ))}
      </ul>
      {due?.more && <p class="quiet">More falls due than is listed here.</p>}
      {due && due.items.length === 0 && <p class="quiet">Nothing falls due in this time.</p>}
    </section>
  );
}

async function tryMove(until: number, now: number): Promise<Schemas["ClockMoved"] | undefined> {
  // Behind now there is nothing to try.
  if (until <= now) return undefined;
  const body = { until: toIsoString(until), dry_run: true };
  return unwrap(control.peek().POST("/_sandbox/clock/advance", { body }));
}

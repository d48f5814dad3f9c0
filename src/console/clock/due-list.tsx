// The items that are due: a dry run lists them up to the handle, the sandbox's schedule after it.
import { formatMoveCounts } from "../../client/move-counts.ts";
import { control, type Schemas, unwrap } from "../api.ts";
import { Button, Problem } from "../parts/primitives.tsx";
import { useDebounced } from "../parts/use-debounced.ts";
import { useQuery } from "../query.ts";
import { DueLine } from "./due-line.tsx";
import { toIsoString } from "./scale.ts";

interface DueListProps {
  due: Schemas["DueList"] | undefined;
  /** The items of `due`, by id. */
  named: ReadonlyMap<string, Schemas["Due"]>;
  now: number;
  target: number;
  onMoveTo: (at: number) => void;
}

/** Lists what is due until the end of the scale. A dry run shows what a move to `target` would do. */
export function UpcomingList({ due, named, now, target, onMoveTo }: DueListProps) {
  // A dry run is expensive, so it waits until the handle rests.
  const debouncedTarget = useDebounced(target);
  const { data, problem } = useQuery([debouncedTarget, now], () => tryMove(debouncedTarget, now));
  const later = due?.items.filter(({ at }) => Date.parse(at) > target) ?? [];
  const next = due?.items[0];
  return (
    <section class="panel scroll" aria-label="Upcoming">
      <div class="bar">
        <h2>Upcoming</h2>
        {next && <Button onClick={() => onMoveTo(Date.parse(next.at))}>Move to next …</Button>}
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
      {due?.more && <p class="quiet">More items are due than are listed.</p>}
      {due && due.items.length === 0 && <p class="quiet">Nothing is due in this period.</p>}
    </section>
  );
}

async function tryMove(until: number, now: number): Promise<Schemas["ClockMoved"] | undefined> {
  // A dry run needs a target in the future.
  if (until <= now) return undefined;
  const body = { until: toIsoString(until), dry_run: true };
  return unwrap(control.peek().POST("/_sandbox/clock/advance", { body }));
}

// Rewinds a world to a point in time. A rewind is one ordinary transaction whose commit names the point. Keys and
// tokens stay, so that clients continue to work.
import type { Schemas } from "../../contract/schemas.ts";
import { fromMillis } from "../domain/kernel/instant.ts";
import type { Counters, Subscription } from "../domain/kernel/records.ts";
import type { Repository, Transaction } from "../domain/kernel/transaction.ts";
import type { Row } from "../log/entry.ts";
import { type Commit, REWIND } from "../log/past.ts";
import type { Cause, RowChange } from "../world/state/commit.ts";
import { chooseCounters } from "../world/state/counters.ts";
import type { Name } from "../world/state/schema.ts";
import type { World } from "../world/state/world.ts";
import { isOfClient, type NamedPoint } from "./history.ts";
import type { StatesDeps } from "./states-deps.ts";

/** The name of the snapshot that a rewind saves of the world before it. */
const BEFORE_REWIND = "before-rewind";

const MAX_NAMED_CAUSES = 200;

export type Rewound = Schemas["Rewound"];

/** Rewinds a world once no move of its clock is in progress. */
export function rewindWorld(deps: StatesDeps, world: World, moment: NamedPoint): Promise<Rewound> {
  return deps.runExclusively(world, async () => findSameRewind(deps, world, moment) ?? rewind(deps, world, moment));
}

/** Finds the previous rewind if the world is still at the same point. Its snapshot then stays the one before the first rewind. */
function findSameRewind(deps: StatesDeps, world: World, moment: NamedPoint): Rewound | undefined {
  const { history } = deps;
  const last = history.listRewinds(world).at(-1);
  const isThere = last?.to === moment.seq && last.seq === history.findLast(world).seq && world.clock()?.mode === "held";
  if (!isThere) return undefined;
  const to = history.findPointBefore(world, last.seq).seq;
  return describeRewind(deps, world, moment, { undone: 0, undid: [], records: 0, messages: 0, undo: { to } });
}

async function rewind(deps: StatesDeps, world: World, moment: NamedPoint): Promise<Rewound> {
  const { worlds, history, wall, now } = deps;
  let undone = 0;
  const undid = new Set<string>();
  return history.withPast(
    world,
    moment,
    ({ changes }) => {
      const { seq } = history.findLast(world);
      const restored = changes.filter((change) => !isPinned(world, change));
      // The snapshot allows users to undo the rewind even when the log is full.
      worlds.save(world.id, BEFORE_REWIND, fromMillis(wall()), now(world));
      const cause: Cause = { kind: "world", id: REWIND, to: moment.seq };
      deps.changeAt(world, moment.at, cause, (tx) => restoreRecords(tx, restored));
      // Messages that were delivered after the point are pending again.
      deps.resendPending(world);
      const records = restored.filter(([collection]) => collection !== "clock").length;
      const messages = restored.filter(([collection, , row]) => collection === "messages" && row === null).length;
      const named = [...undid].slice(-MAX_NAMED_CAUSES);
      return describeRewind(deps, world, moment, { undone, undid: named, records, messages, undo: { to: seq } });
    },
    (commit) => {
      undone++;
      if (hasDoer(commit)) undid.add(commit.cause.id);
    },
  );
}

function describeRewind(
  { now }: StatesDeps,
  world: World,
  to: NamedPoint,
  done: Pick<Rewound, "undone" | "undid" | "records" | "messages" | "undo">,
): Rewound {
  const went_back = world.counters()?.went_back ?? 0;
  return { to, now: now(world), went_back, snapshot: BEFORE_REWIND, ...done };
}

/** Whether a request, an act or a move of the clock caused the commit, and not only as a side effect. */
function hasDoer(commit: Commit): boolean {
  return commit.cause.kind !== "delivery" && commit.cause.kind !== "world" && !isOfClient(commit);
}

/** Whether it is, or was, a subscription of the person who runs the sandbox. */
function isPinned(world: World, [collection, id, before]: RowChange): boolean {
  if (collection !== "subscriptions") return false;
  return Boolean(world.credentials().subscriptions.get(id)?.pinned ?? (before as Partial<Subscription> | null)?.pinned);
}

function restoreRecords(tx: Transaction, changes: readonly RowChange[]): void {
  for (const [name, id, then] of changes) {
    const repository = tx[name as Name] as unknown as Repository<Row>;
    // Numbers are never reused, so counters continue.
    const own = repository.get(id) as Counters | undefined;
    const row = name === "counters" ? chooseCounters(own, (then ?? undefined) as Counters | undefined) : then;
    if (row) repository.put(row);
    else repository.remove(id);
  }
}

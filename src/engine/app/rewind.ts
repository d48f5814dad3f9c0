// The way back: what puts a world as it was at a moment. A rewind is one ordinary transaction that does so, and is remembered and stored as
// every other; a fork at a moment is a copy with the same changes. Keys and tokens stay, so that clients go on.
import type { Schemas } from "../../contract/schemas.ts";
import { fromMillis, type Instant } from "../domain/kernel/instant.ts";
import type { Counters, Subscription } from "../domain/kernel/records.ts";
import type { Repository, Transaction } from "../domain/kernel/transaction.ts";
import { running, type WallClock } from "../time/clock.ts";
import type { Cause } from "../world/state/commit.ts";
import { credentials, type Name } from "../world/state/schema.ts";
import { replacing } from "../world/state/went-back.ts";
import type { World } from "../world/state/world.ts";
import type { Worlds } from "../world/state/worlds.ts";
import type { Change, Row } from "../world/store/store.ts";
import { isOfClient } from "./commit-record.ts";
import type { Commit, CommitMemory } from "./commits.ts";
import type { History, Moment } from "./history.ts";

/** The one snapshot that a rewind saves, of the world before it. */
const BEFORE_REWIND = "before-rewind";

/** So many are named. */
const MOST_UNDID = 200;

export type Rewound = Schemas["Rewound"];

interface RewindDeps {
  worlds: Worlds;
  history: History;
  memory: CommitMemory;
  wall: WallClock;
  now(world: World): Instant;
  changeAt(world: World, at: Instant, cause: Cause, work: (tx: Transaction) => void): unknown;
  /** Waits until no move of the world's clock is under way. */
  exclusively<T>(world: World, work: () => Promise<T>): Promise<T>;
  /** Attempts in flight are not recorded; what is pending now is sent anew. */
  attemptAnew(world: World): void;
}

/** The changes that make a world of now the world of a moment. A running clock runs on from there. */
export function changesBackTo(history: History, world: World, moment: Moment, wall: WallClock): Change[] {
  const clock = history.clockAt(world, moment.seq);
  const records = history
    .changedSince(world, moment)
    // The clock comes last, by its own rule; keys and tokens stay.
    .filter(({ collection }) => collection !== "clock" && !credentials.includes(collection))
    .map(({ collection, id, before }): Change => [collection, id, before]);
  if (!clock) return records;
  return [...records, ["clock", clock.id, (clock.mode === "held" ? clock : running(moment.at, wall)) as Row]];
}

export function makeRewind(needs: RewindDeps) {
  const { worlds, history, memory, wall, now } = needs;

  /** Where the latest change was a rewind to the same moment, and no time has passed since: the snapshot stays that of the first. */
  const again = (world: World, moment: Moment): Rewound | undefined => {
    const last = memory.rewinds(world).at(-1);
    const isThere = last?.to === moment.seq && last.seq === memory.last(world).seq && world.clock()?.mode === "held";
    if (!isThere) return undefined;
    const before = history.commits(world).at(-2) ?? memory.retained(world).from;
    return {
      ...{ to: moment, now: now(world), undone: 0, undid: [], records: 0, messages: 0 },
      ...{ went_back: world.counters()?.went_back ?? 0, undo: { to: before.seq }, snapshot: BEFORE_REWIND },
    };
  };

  const rewindNow = (world: World, moment: Moment): Rewound => {
    const changes = changesBackTo(history, world, moment, wall).filter((change) => !isPinned(world, change));
    // Read before the rewind makes a commit itself.
    const later = history.commits(world).filter(({ seq }) => seq > moment.seq);
    const before = memory.last(world).seq;
    memory.saved(world, BEFORE_REWIND);
    // So that the rewind can be undone, even when the history is full.
    worlds.save(world.id, BEFORE_REWIND, fromMillis(wall()), now(world));
    needs.changeAt(world, moment.at, { kind: "world", id: "rewind" }, (tx) => putBack(tx, changes));
    memory.rewound(world, moment.seq);
    // What was delivered after the moment is pending again.
    needs.attemptAnew(world);
    const records = changes.filter(([collection]) => collection !== "clock").length;
    const messages = changes.filter(([collection, , row]) => collection === "messages" && row === null).length;
    const went_back = world.counters()?.went_back ?? 0;
    return {
      ...{ to: moment, now: now(world), undone: later.length, undid: doersOf(later) },
      ...{ records, messages, went_back },
      ...{ undo: { to: before }, snapshot: BEFORE_REWIND },
    };
  };

  /** A request that runs at the same time is either before or after it, and a move of the clock before. */
  return (world: World, moment: Moment): Promise<Rewound> =>
    needs.exclusively(world, async () => again(world, moment) ?? rewindNow(world, moment));
}

/** Deliveries and the world itself are none: they follow from what was done. */
const DOERS: readonly Cause["kind"][] = ["request", "act", "clock"];

function doersOf(commits: readonly Commit[]): string[] {
  const done = commits.filter((commit) => DOERS.includes(commit.cause.kind) && !isOfClient(commit));
  return [...new Set(done.map(({ cause }) => cause.id))].slice(-MOST_UNDID);
}

/** Whether it is, or was, a subscription of the person who runs the sandbox. */
function isPinned(world: World, [collection, id, before]: Change): boolean {
  if (collection !== "subscriptions") return false;
  return Boolean(world.credentials().subscriptions.get(id)?.pinned ?? (before as Partial<Subscription> | null)?.pinned);
}

function putBack(tx: Transaction, changes: readonly Change[]): void {
  for (const [name, id, then] of changes) {
    const repository = tx[name as Name] as unknown as Repository<Row>;
    // Numbers that were given are not given again, so counters go on.
    const own = repository.get(id) as Counters | undefined;
    const row = name === "counters" ? replacing(own, (then ?? undefined) as Counters | undefined) : then;
    if (row) repository.put(row);
    else repository.remove(id);
  }
}

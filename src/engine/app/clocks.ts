// The clocks of all worlds: shown, held, run and moved, one move of a world at a time; and the ticks of those that run.
import { countMove, type ReceiptLine } from "../domain/kernel/facts.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import { toMillis } from "../domain/kernel/instant.ts";
import type { ClockRecord } from "../domain/kernel/records.ts";
import type { ClockMoved } from "../log/drafts.ts";
import { advance, type Doer, type Mover, nextInstant } from "../time/advance.ts";
import { clockAt, held, nowOf, running, type WallClock } from "../time/clock.ts";
import type { Cause } from "../world/state/commit.ts";
import type { SharedHooks, World } from "../world/state/world.ts";
import type { TimePort } from "./application.ts";
import type { Changes } from "./changes.ts";
import type { DueWork } from "./due-work.ts";
import { lookAhead } from "./look-ahead.ts";
import { makeWorldMutex } from "./world-mutex.ts";

export interface Clocks {
  now(world: World): Instant;
  show(world: World): ClockRecord;
  set: TimePort["clock"]["set"];
  advance: TimePort["clock"]["advance"];
  /** Ms since 1970 when the next thing is due, where the clock runs. */
  dueAt(world: World): number | undefined;
  /** Lets the running clocks catch up with what has become due. */
  tick(): void;
  /** Waits until no move of the world's clock is under way, and lets none begin before the work has ended. */
  exclusively<T>(world: World, work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface ClocksDeps {
  worlds(): World[];
  reader: ClockReader;
  doer: DueDoer;
  changes: Changes;
  due: DueWork;
  wall: WallClock;
  dispatcher(): {
    nextDue(world: World): Instant | undefined;
    attemptDue(world: World): Promise<ReceiptLine[]>;
  };
  hooksOf(id: string): SharedHooks;
  /** A new id of a receipt. */
  newId(): string;
  /** A move of the clock has ended, at its target or where it failed. */
  moved(world: World, move: Omit<ClockMoved, "world" | "mode">): void;
  /** An error outside of any request. */
  failed(world: World, reason: unknown): void;
}

const TICK_MS = 1000;

/** Who moves a clock without a request. */
const SETUP: Cause = { kind: "world", id: "setup" };

type ClockReader = Pick<Clocks, "now" | "show">;

export function makeClockReader(wall: WallClock): ClockReader {
  return {
    // A world that is being made has no clock yet.
    show: (world) => world.clock() ?? running("", wall),
    now: (world) => nowOf(world.clock(), wall),
  };
}

/** Carries out what is due in a world, with this cause. */
type DueDoer = (world: World, cause: () => Cause) => Doer;

export const makeDoer =
  (changeAt: Changes["changeAt"], { show }: ClockReader, wall: WallClock): DueDoer =>
  (world, cause) => ({
    change: (at, work) => changeAt(world, at, cause(), work),
    clockAt: (at) => clockAt(show(world), at, wall),
  });

/** Starts the timer of the running clocks, which `close` ends. */
export function makeClocks(needs: ClocksDeps): Clocks {
  const { worlds, doer, changes, due, wall, dispatcher, hooksOf, newId, moved, failed } = needs;
  const { show, now } = needs.reader;
  const moves = makeWorldMutex();
  const exclusively = moves.run;

  const finderOf = (world: World) => ({
    nextDue: () => due.next(world),
    nextDelivery: () => dispatcher().nextDue(world),
  });
  const moverOf = (world: World, receipt: ReceiptLine[]): Mover => ({
    ...doer(world, () => due.cause(world)),
    ...finderOf(world),
    settle: (thing) => due.doOne(world, thing),
    async deliver() {
      for (const line of await dispatcher().attemptDue(world)) receipt.push(line);
    },
  });

  const advanceTo = async (world: World, until: Instant, id: string, receipt: ReceiptLine[]) => {
    // What is done from here on has this move as its cause.
    due.begin(world, id, receipt);
    try {
      await advance(world, until, moverOf(world, receipt));
    } finally {
      due.end(world);
    }
  };

  /** `after` is what else belongs to the move. It is reported as far as it went, also where it failed on the way. */
  const move = async (
    world: World,
    until: Instant | undefined,
    by: ClockMoved["by"],
    after: (id: string) => void = () => undefined,
  ) => {
    const [id, from, began] = [newId(), now(world), wall()];
    const receipt: ReceiptLine[] = [];
    try {
      if (until !== undefined) await advanceTo(world, until, id, receipt);
      after(id);
    } finally {
      // Also after a failure: what was done until then is done.
      moved(world, { id, from, to: now(world), by, receipt, duration_ms: wall() - began });
    }
    return { id, counts: countMove(receipt), receipt };
  };

  const timer = setInterval(tick, TICK_MS);
  // It keeps no process alive.
  timer.unref();

  /** The timer's callback: nothing could catch what it throws. */
  function tick(): void {
    for (const world of worlds()) {
      try {
        tickOne(world);
      } catch (reason) {
        failed(world, reason);
      }
    }
  }

  function tickOne(world: World): void {
    const clock = show(world);
    // A move that is under way does what is due itself.
    if (clock.mode !== "running" || moves.isBusy(world)) return;
    // The machine's clock was set back between two runs: go on from the saved instant instead of standing still until it has caught up.
    if (toMillis(clock.at) > wall() + clock.offset_ms) {
      changes.changeAt(world, clock.at, { kind: "clock", id: newId() }, (tx) => tx.clock.put(running(clock.at, wall)));
    }
    const next = nextInstant(finderOf(world));
    // Nothing is due, so nothing is locked or logged.
    if (next === undefined || next > now(world)) return;
    exclusively(world, () => move(world, now(world), "tick")).catch((reason) => failed(world, reason));
  }

  return {
    now,
    show,
    tick,
    exclusively,
    dueAt(world) {
      const clock = show(world);
      if (clock.mode === "held") return undefined;
      // What waits for a quota is due all the same: the world is not put to rest over it.
      const next = nextInstant({ ...finderOf(world), nextDelivery: () => dispatcher().nextDue(world) });
      return next === undefined ? undefined : toMillis(next) - clock.offset_ms;
    },
    set: (world, { to, mode }, by = SETUP) =>
      exclusively(world, async () =>
        move(world, to?.(now(world)), by, (id) => {
          // What fell due until now comes before the clock is held or let go.
          const at = due.catchUp(world);
          const clock = mode === "held" ? held(at) : mode === "running" ? running(at, wall) : undefined;
          if (clock) changes.changeAt(world, at, { kind: "clock", id }, (tx) => tx.clock.put(clock));
        }),
      ),
    async advance(world, to, dryRun, by = SETUP) {
      // On a copy, so it need not wait for moves.
      if (dryRun) {
        const start = now(world);
        return lookAhead(world, { start, until: to === "next" ? to : to(start), hooks: hooksOf(world.id) });
      }
      return exclusively(world, async () => {
        const target = to === "next" ? (nextInstant(finderOf(world)) ?? now(world)) : to(now(world));
        const done = await move(world, target > now(world) ? target : now(world), by);
        return { ...done, now: now(world) };
      });
    },
    async close() {
      clearInterval(timer);
      // The store is closed after this, and a move writes to it.
      await moves.ended();
    },
  };
}

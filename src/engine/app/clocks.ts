// Shows, holds, runs and moves the clocks of all worlds, one move of a world at a time, and ticks the running ones.

import { Slice } from "../../platform/slices.ts";
import { countMove, type ReceiptLine } from "../domain/kernel/facts.ts";
import { toKeyEnd } from "../domain/kernel/index-keys.ts";
import { type Instant, toMillis } from "../domain/kernel/instant.ts";
import type { ClockRecord } from "../domain/kernel/records.ts";
import type { ClockMoved } from "../log/view.ts";
import { advance, findInstant, settleDue } from "../time/advance.ts";
import { hold, run, type WallClock } from "../time/clock.ts";
import { findDue } from "../time/due.ts";
import type { Cause } from "../world/state/commit.ts";
import type { World } from "../world/state/world.ts";
import type { Changes, ChangesDeps } from "./changes.ts";

interface ClocksDeps extends Pick<ChangesDeps, "now" | "recordMove" | "newId"> {
  worlds(): World[];
  changes: Changes;
  wall: WallClock;
  dispatcher(): {
    findNextDue(world: World, options?: { exceptInFlight: boolean }): Instant | undefined;
    attemptDue(world: World, options?: { exceptInFlight: boolean }): Promise<ReceiptLine[]>;
  };
  /** Copies a world. Changes of the copy are not stored. */
  copy(world: World): World;
  /** Handles an error outside of any request. */
  reportFailure(world: World, reason: unknown): void;
}

/** Computes the target of a move once all earlier moves have ended. Throws if the clock can't be moved there. */
export type ClockTarget = (now: Instant) => Instant;

const TICK_MS = 1000;

/** The cause of moves without a request. */
const SETUP: Cause = { kind: "world", id: "setup" };

export class Clocks {
  readonly #deps: ClocksDeps;
  /** World id → the last work on its time that was requested. */
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #timer: NodeJS.Timeout;

  constructor(deps: ClocksDeps) {
    this.#deps = deps;
    // The timer keeps no process alive.
    this.#timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  /** Returns the clock of a world. A new world has none yet. */
  show(world: World): ClockRecord {
    return world.clock() ?? run("", this.#deps.wall);
  }

  /** Moves the clock, and holds it or lets it run. The log has the receipt under its id. */
  set(world: World, { to, mode }: { to?: ClockTarget; mode?: "held" | "running" }, by = SETUP) {
    const { changes, now, wall } = this.#deps;
    return this.runExclusively(world, () =>
      this.#move(world, to?.(now(world)), by, (id) => {
        // Due work runs before the clock changes its mode.
        const at = changes.catchUp(world);
        const clock = mode === "held" ? hold(at) : mode === "running" ? run(at, wall) : undefined;
        if (clock) changes.changeAt(world, at, { kind: "clock", id }, (tx) => tx.clock.put(clock));
      }),
    );
  }

  /** Moves the clock forward. A dry run uses a copy, doesn't wait for other moves, and isn't logged. */
  async advance(world: World, to: ClockTarget | "next", dryRun: boolean, by = SETUP) {
    const { now } = this.#deps;
    if (dryRun) return this.#lookAhead(world, to);
    return this.runExclusively(world, async () => {
      const target = to === "next" ? (findInstant(this.#createFinder(world)) ?? now(world)) : to(now(world));
      const done = await this.#move(world, target > now(world) ? target : now(world), by);
      return { ...done, now: now(world) };
    });
  }

  /** Returns when the next work is due, in milliseconds since 1970; undefined if nothing is due or the clock is held. */
  findDueTime(world: World): number | undefined {
    const clock = this.show(world);
    if (clock.mode === "held") return undefined;
    const next = findInstant(this.#createFinder(world));
    return next === undefined ? undefined : toMillis(next) - clock.offset_ms;
  }

  /** Runs the work between two moves of the world's clock. A running clock pauses in the meantime. */
  runExclusively<T>(world: World, work: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(world.id) ?? Promise.resolve()).catch(() => undefined).then(work);
    this.#turns.set(world.id, turn);
    const forget = () => this.#turns.get(world.id) === turn && this.#turns.delete(world.id);
    turn.then(forget, forget);
    return turn;
  }

  /** Performs due work of the running clocks. Errors are caught here, because a timer has no caller that could catch them. */
  tick(): void {
    for (const world of this.#deps.worlds()) {
      try {
        this.#tickOne(world);
      } catch (reason) {
        this.#deps.reportFailure(world, reason);
      }
    }
  }

  /** Waits for all moves, because they write to the store, which is closed next. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.allSettled(this.#turns.values());
  }

  #tickOne(world: World): void {
    const { changes, now, wall, newId, reportFailure } = this.#deps;
    const clock = this.show(world);
    // A move in progress performs due work itself.
    if (clock.mode !== "running" || this.#turns.has(world.id)) return;
    // If the machine's clock was set back between two runs, continue from the saved instant instead of waiting until it is reached again.
    if (toMillis(clock.at) > wall() + clock.offset_ms)
      changes.changeAt(world, clock.at, { kind: "clock", id: newId() }, (tx) => tx.clock.put(run(clock.at, wall)));
    const next = findInstant(this.#createFinder(world, true));
    if (next === undefined || next > now(world)) return;
    const move = this.runExclusively(world, () => this.#move(world, now(world), "tick"));
    move.catch((reason) => reportFailure(world, reason));
  }

  #createFinder(world: World, exceptInFlight = false) {
    const { changes, dispatcher } = this.#deps;
    return {
      nextDue: () => changes.findNextDue(world),
      nextDelivery: () => dispatcher().findNextDue(world, { exceptInFlight }),
    };
  }

  /** `finish` runs as the last part of the move. A failed move is logged up to the failure. */
  async #move(world: World, until: Instant | undefined, by: ClockMoved["by"], finish?: (id: string) => void) {
    const { now, wall, newId, recordMove } = this.#deps;
    const [id, from, began] = [newId(), now(world), wall()];
    const receipt: ReceiptLine[] = [];
    try {
      if (until !== undefined) await this.#advanceTo(world, until, { id, receipt, exceptInFlight: by === "tick" });
      finish?.(id);
    } finally {
      recordMove(world, { id, from, to: now(world), by, receipt, duration_ms: wall() - began });
    }
    return { id, counts: countMove(receipt), receipt };
  }

  async #advanceTo(
    world: World,
    until: Instant,
    { id, receipt, exceptInFlight }: { id: string; receipt: ReceiptLine[]; exceptInFlight: boolean },
  ): Promise<void> {
    const { changes, dispatcher } = this.#deps;
    changes.begin(world, id, receipt);
    try {
      await advance(world, until, {
        ...changes.createDoer(world),
        ...this.#createFinder(world, exceptInFlight),
        settle: (due) => changes.performDue(world, due),
        async deliver() {
          for (const line of await dispatcher().attemptDue(world, { exceptInFlight })) receipt.push(line);
        },
      });
    } finally {
      changes.end(world);
    }
  }

  /** Tries a move on a copy of the world, in slices. Deliveries are only counted, since an attempt can't be simulated. */
  async #lookAhead(world: World, to: ClockTarget | "next") {
    const start = this.#deps.now(world);
    const copy = this.#deps.copy(world);
    const mover = { change: copy.transact, nextDue: () => copy.read(start, findDue), clockAt: hold };
    const target = to === "next" ? (mover.nextDue()?.at ?? start) : to(start);
    const receipt: ReceiptLine[] = [];
    const slice = new Slice();
    for (const line of settleDue(copy, target, mover)) {
      receipt.push(line);
      if (slice.isOver) await slice.pause();
    }
    const pending = copy.read(target, (tx) => [...tx.deliveries.walk("due", { until: toKeyEnd(target) })]);
    return { now: target, counts: { due: receipt.length, deliveries: pending.length }, receipt };
  }
}

// The clocks of all worlds: shown, held, run and moved, one move of a world at a time; and the ticks of those that run.

import { Slice } from "../../platform/slices.ts";
import { countMove, type ReceiptLine } from "../domain/kernel/facts.ts";
import { behindKey } from "../domain/kernel/index-keys.ts";
import { type Instant, toMillis } from "../domain/kernel/instant.ts";
import type { ClockRecord } from "../domain/kernel/records.ts";
import type { ClockMoved } from "../log/view.ts";
import { advance, findInstant, settleDue } from "../time/advance.ts";
import { hold, run, type WallClock } from "../time/clock.ts";
import { findDue } from "../time/due.ts";
import type { Cause } from "../world/state/commit.ts";
import type { World } from "../world/state/world.ts";
import type { Changes, ChangesDeps } from "./changes.ts";

interface ClocksDeps extends Pick<ChangesDeps, "now" | "moved" | "newId"> {
  worlds(): World[];
  changes: Changes;
  wall: WallClock;
  dispatcher(): {
    findNextDue(world: World, options?: { exceptInFlight: boolean }): Instant | undefined;
    attemptDue(world: World, options?: { exceptInFlight: boolean }): Promise<ReceiptLine[]>;
  };
  /** Makes a copy of a world whose changes are not stored. */
  copy(world: World): World;
  /** An error outside of any request. */
  failed(world: World, reason: unknown): void;
}

/** Where a clock is moved to, asked once every move before has ended. Throws where it can't go there. */
export type ClockTarget = (now: Instant) => Instant;

const TICK_MS = 1000;

/** Who moves a clock without a request. */
const SETUP: Cause = { kind: "world", id: "setup" };

export class Clocks {
  readonly #deps: ClocksDeps;
  /** World id → the work on its time that was asked for last. */
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #timer: NodeJS.Timeout;

  constructor(deps: ClocksDeps) {
    this.#deps = deps;
    // It keeps no process alive.
    this.#timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  /** A world that is being made has no clock yet. */
  show(world: World): ClockRecord {
    return world.clock() ?? run("", this.#deps.wall);
  }

  /** Moves the clock, and holds it or lets it run. The log has the receipt under its id. */
  set(world: World, { to, mode }: { to?: ClockTarget; mode?: "held" | "running" }, by = SETUP) {
    const { changes, now, wall } = this.#deps;
    return this.exclusively(world, () =>
      this.#move(world, to?.(now(world)), by, (id) => {
        // What fell due until now comes before the clock is held or let go.
        const at = changes.catchUp(world);
        const clock = mode === "held" ? hold(at) : mode === "running" ? run(at, wall) : undefined;
        if (clock) changes.changeAt(world, at, { kind: "clock", id }, (tx) => tx.clock.put(clock));
      }),
    );
  }

  /** A dry run is done on a copy, waits for no move, and has no receipt in the log. */
  async advance(world: World, to: ClockTarget | "next", dryRun: boolean, by = SETUP) {
    const { now } = this.#deps;
    if (dryRun) return this.#lookAhead(world, to);
    return this.exclusively(world, async () => {
      const target = to === "next" ? (this.#findNext(world) ?? now(world)) : to(now(world));
      const done = await this.#move(world, target > now(world) ? target : now(world), by);
      return { ...done, now: now(world) };
    });
  }

  /** Milliseconds since 1970 when the next thing is due; undefined where nothing is, or the clock is held. */
  dueAt(world: World): number | undefined {
    const clock = this.show(world);
    const next = clock.mode === "held" ? undefined : this.#findNext(world);
    return next === undefined || clock.mode === "held" ? undefined : toMillis(next) - clock.offset_ms;
  }

  /** Runs the work once no move of the world's clock is under way. No move begins, and a running clock does nothing, before it has ended. */
  exclusively<T>(world: World, work: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(world.id) ?? Promise.resolve()).catch(() => undefined).then(work);
    this.#turns.set(world.id, turn);
    const forget = () => this.#turns.get(world.id) === turn && this.#turns.delete(world.id);
    turn.then(forget, forget);
    return turn;
  }

  /** Lets the running clocks catch up with what has become due. Nothing could catch what the timer's callback throws. */
  tick(): void {
    for (const world of this.#deps.worlds()) {
      try {
        this.#tickOne(world);
      } catch (reason) {
        this.#deps.failed(world, reason);
      }
    }
  }

  /** The store is closed after this, and a move writes to it. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.allSettled(this.#turns.values());
  }

  #tickOne(world: World): void {
    const { changes, now, wall, newId, failed } = this.#deps;
    const clock = this.show(world);
    // A move that is under way does what is due itself.
    if (clock.mode !== "running" || this.#turns.has(world.id)) return;
    // The machine's clock was set back between two runs: go on from the saved instant instead of standing still until it has caught up.
    if (toMillis(clock.at) > wall() + clock.offset_ms)
      changes.changeAt(world, clock.at, { kind: "clock", id: newId() }, (tx) => tx.clock.put(run(clock.at, wall)));
    const next = findInstant(this.#finder(world, true));
    // Nothing is due, so nothing is locked or logged.
    if (next === undefined || next > now(world)) return;
    this.exclusively(world, () => this.#move(world, now(world), "tick")).catch((reason) => failed(world, reason));
  }

  #findNext(world: World): Instant | undefined {
    return findInstant(this.#finder(world));
  }

  #finder(world: World, exceptInFlight = false) {
    const { changes, dispatcher } = this.#deps;
    return {
      nextDue: () => changes.next(world),
      nextDelivery: () => dispatcher().findNextDue(world, { exceptInFlight }),
    };
  }

  /** `finish` is what else belongs to the move. A move that fails is reported as far as it went. */
  async #move(world: World, until: Instant | undefined, by: ClockMoved["by"], finish?: (id: string) => void) {
    const { now, wall, newId, moved } = this.#deps;
    const [id, from, began] = [newId(), now(world), wall()];
    const receipt: ReceiptLine[] = [];
    try {
      if (until !== undefined) await this.#advanceTo(world, until, { id, receipt, exceptInFlight: by === "tick" });
      finish?.(id);
    } finally {
      moved(world, { id, from, to: now(world), by, receipt, duration_ms: wall() - began });
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
        ...changes.doer(world),
        ...this.#finder(world, exceptInFlight),
        settle: (due) => changes.doOne(world, due),
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
    const pending = copy.read(target, (tx) => [...tx.deliveries.walk("due", { until: behindKey(target) })]);
    return { now: target, counts: { due: receipt.length, deliveries: pending.length }, receipt };
  }
}

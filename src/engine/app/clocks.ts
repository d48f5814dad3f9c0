// Changes, reads and moves worlds in time. Due work runs before a world is read or changed, so a running clock and a
// held one give the same responses. A clock makes one move at a time, and running clocks tick.

import { Slice } from "../../platform/slices.ts";
import { reject } from "../domain/kernel/domain-error.ts";
import { countMove, type ReceiptLine } from "../domain/kernel/facts.ts";
import { toKeyEnd } from "../domain/kernel/index-keys.ts";
import { type Instant, toMillis } from "../domain/kernel/instant.ts";
import type { ClockRecord } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { ClockMoved } from "../log/view.ts";
import type { WorldLogs } from "../log/world-logs.ts";
import { advance, findInstant, type Mover, settleDue, settleOne } from "../time/advance.ts";
import { getNow, hold, moveTo, run, type WallClock } from "../time/clock.ts";
import { type Due, findDue } from "../time/due.ts";
import type { Dispatcher } from "../webhooks/dispatcher.ts";
import type { Cause } from "../world/state/commit.ts";
import type { Transacted, World } from "../world/state/world.ts";
import type { Worlds } from "../world/state/worlds.ts";
import type { Quarantine } from "./quarantine.ts";

interface ClocksDeps {
  worlds: Worlds;
  quarantine: Quarantine;
  log: WorldLogs;
  /** The cause of the transaction that is running: its commit names it. */
  running: { cause: Cause };
  wall: WallClock;
  /** Deliveries change worlds, and moves of the clock cause deliveries, so the dispatcher is created later. */
  dispatcher(): Dispatcher;
  /** Copies a world. Changes of the copy are not stored. */
  copy(world: World): World;
  newId(kind: "clk"): string;
}

/** Computes the target of a move once all earlier moves have ended. Throws if the clock can't be moved there. */
export type ClockTarget = (now: Instant) => Instant;

/** A move of the clock in progress, also one that only time causes. */
interface Move {
  id: string;
  receipt: ReceiptLine[];
}

const TICK_MS = 1000;

/** The cause of moves without a request. */
const SETUP: Cause = { kind: "world", id: "setup" };

export class Clocks {
  /** Real time, which never goes back. */
  readonly wall: WallClock;
  /** Returns the present instant of a world. */
  readonly now: (world: World) => Instant;
  readonly #deps: ClocksDeps;
  /** World id → the last work on its time that was requested. */
  readonly #turns = new Map<string, Promise<unknown>>();
  /** The next due work of a world changes only with a commit. */
  readonly #next = new WeakMap<World, { commits: number; due: Due | undefined }>();
  readonly #moves = new WeakMap<World, Move>();
  /** A listener may read its world in the middle of the work. */
  readonly #busy = new WeakSet<World>();
  readonly #timer: NodeJS.Timeout;

  constructor(deps: ClocksDeps) {
    const { wall, quarantine } = deps;
    this.#deps = deps;
    this.wall = wall;
    this.now = quarantine.guard((world) => getNow(world.clock(), wall));
    // The timer keeps no process alive.
    this.#timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  /** Changes the world at its present instant, after due work, and sends the deliveries that became due. */
  readonly change = <T>(world: World, cause: Cause, work: (tx: Transaction) => T): Transacted<T> => {
    const outcome = this.changeAt(world, this.#catchUp(world), cause, work);
    if (outcome.facts.length > 0) this.#deps.dispatcher().wake(world);
    return outcome;
  };

  /** Changes the world at an instant of a clock move, which sends its own deliveries. */
  readonly changeAt = <T>(world: World, at: Instant, cause: Cause, work: (tx: Transaction) => T): Transacted<T> => {
    const current = this.#deps.worlds.get(world.id);
    if (!current) reject("NOT_FOUND", { kind: "world", id: world.id });
    if (current !== world) reject("WORLD_WAS_RESET", { world_id: world.id });
    this.#deps.running.cause = cause;
    return world.transact(at, work);
  };

  /** Reads the world after due work. */
  readonly read = <T>(world: World, question: (tx: Transaction) => T): T => world.read(this.#catchUp(world), question);

  isMoving(world: World): boolean {
    return this.#moves.has(world);
  }

  /** Returns the clock of a world. A new world has none yet. */
  show(world: World): ClockRecord {
    return world.clock() ?? run("", this.wall);
  }

  /** Moves the clock forward, and holds it or lets it run. The log has the receipt under its id. */
  set(world: World, { to, mode }: { to?: ClockTarget | "next"; mode?: ClockRecord["mode"] }, by = SETUP) {
    return this.runExclusively(world, async () => {
      const now = this.now(world);
      const target = to === "next" ? (findInstant(this.#createMover(world)) ?? now) : to?.(now);
      const done = await this.#move(world, target && (target > now ? target : now), by, mode);
      return { ...done, now: this.now(world) };
    });
  }

  /** Returns when the next work is due, in milliseconds since 1970; undefined if nothing is due or the clock is held. */
  findDueTime(world: World): number | undefined {
    const clock = this.show(world);
    if (clock.mode === "held") return undefined;
    const next = findInstant(this.#createMover(world));
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

  /** Performs all due work with turns for other requests in between. Returns undefined when nothing is due. */
  catchUpInTurns(world: World): Promise<void> | undefined {
    return this.#findDueBy(world, this.now(world)) ? this.#doInTurns(world) : undefined;
  }

  async #doInTurns(world: World): Promise<void> {
    const slice = new Slice();
    while (!this.#doDue(world, this.now(world), () => slice.isOver)) await slice.pause();
  }

  /** Performs all due work without a pause. Returns the present instant of the world. */
  #catchUp(world: World): Instant {
    const at = this.now(world);
    this.#doDue(world, at, () => false);
    return at;
  }

  /** Performs work that is due at an instant. Returns false if some may be left. */
  #doDue(world: World, at: Instant, isOver: () => boolean): boolean {
    if (!this.#findDueBy(world, at)) return true;
    const tick = this.isMoving(world) ? undefined : this.#begin(world, "tick", world.clock()?.at ?? at);
    try {
      for (let due = this.#findDueBy(world, at); due; due = this.#findDueBy(world, at)) {
        this.#performDue(world, due);
        if (isOver()) return false;
      }
      return true;
    } finally {
      tick?.end();
    }
  }

  #findDueBy(world: World, at: Instant): Due | undefined {
    if (this.#busy.has(world) || this.#deps.worlds.get(world.id) !== world) return undefined;
    const due = this.#findNextDue(world);
    return due && due.at <= at ? due : undefined;
  }

  #findNextDue(world: World): Due | undefined {
    const known = this.#next.get(world);
    if (known?.commits === world.commits) return known.due;
    const due = world.read(this.now(world), findDue);
    this.#next.set(world, { commits: world.commits, due });
    return due;
  }

  /** Performs one piece of due work, and adds it to the receipt. */
  #performDue(world: World, due: Due): void {
    this.#busy.add(world);
    try {
      this.#moves.get(world)?.receipt.push(settleOne(world, due, this.#createMover(world)));
    } finally {
      this.#busy.delete(world);
    }
  }

  #createMover(world: World): Mover {
    const dispatcher = this.#deps.dispatcher();
    return {
      change: (at, work) => this.changeAt(world, at, { kind: "clock", id: this.#moves.get(world)?.id ?? "" }, work),
      clockAt: (at) => moveTo(this.show(world), at, this.wall),
      nextDue: () => this.#findNextDue(world),
      nextDelivery: () => dispatcher.findNextDue(world),
      settle: (due) => this.#performDue(world, due),
      deliver: async () => {
        for (const line of await dispatcher.attemptDue(world)) this.#moves.get(world)?.receipt.push(line);
      },
    };
  }

  /** Performs due work of the running clocks. */
  tick(): void {
    const { worlds, quarantine } = this.#deps;
    // A timer has no caller that could catch errors.
    for (const world of worlds.all())
      if (quarantine.explain(world) === undefined)
        this.#tickOne(world).catch((reason) => quarantine.put(world, reason));
  }

  async #tickOne(world: World): Promise<void> {
    const clock = this.show(world);
    // A move in progress performs due work itself.
    if (clock.mode !== "running" || this.#turns.has(world.id)) return;
    // If the machine's clock was set back between two runs, continue from the saved instant instead of waiting until it
    // is reached again.
    if (toMillis(clock.at) > this.wall() + clock.offset_ms) {
      const cause: Cause = { kind: "clock", id: this.#deps.newId("clk") };
      this.changeAt(world, clock.at, cause, (tx) => tx.clock.put(run(clock.at, this.wall)));
    }
    // The end of the sandbox waits for exclusive work, because it writes to the store.
    if (this.#findDueBy(world, this.now(world))) await this.runExclusively(world, () => this.#doInTurns(world));
    // The dispatcher's own timer is late when the machine was asleep.
    this.#deps.dispatcher().wake(world);
  }

  /** Waits for all moves, because they write to the store, which is closed next. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.allSettled(this.#turns.values());
  }

  /** A failed move is logged up to the failure. */
  async #move(world: World, until: Instant | undefined, by: ClockMoved["by"], mode?: ClockRecord["mode"]) {
    const { id, receipt, end } = this.#begin(world, by, this.now(world));
    try {
      if (until !== undefined) await advance(world, until, this.#createMover(world));
      this.#moves.delete(world);
      if (mode) this.#setMode(world, mode, id);
    } finally {
      end();
    }
    return { id, counts: countMove(receipt), receipt };
  }

  /** Performs due work before the clock changes its mode. */
  #setMode(world: World, mode: ClockRecord["mode"], id: string): void {
    const at = this.#catchUp(world);
    const clock = mode === "held" ? hold(at) : run(at, this.wall);
    this.changeAt(world, at, { kind: "clock", id }, (tx) => tx.clock.put(clock));
  }

  /**
   * Begins a move. Until it ends, all due work is on its receipt, and has its id as cause. Ticks without work are not
   * logged.
   */
  #begin(world: World, by: ClockMoved["by"], from: Instant): Move & { end(): void } {
    const { worlds, newId, log, dispatcher } = this.#deps;
    const id = newId("clk");
    const began = this.wall();
    const receipt: ReceiptLine[] = [];
    this.#moves.set(world, { id, receipt });
    const end = () => {
      this.#moves.delete(world);
      // The dispatcher sets its timer by the new time and mode of the clock.
      dispatcher().wake(world);
      if (worlds.get(world.id) !== world || (by === "tick" && receipt.length === 0)) return;
      const to = this.now(world);
      const duration_ms = this.wall() - began;
      log.addMove({ id, world: world.id, mode: this.show(world).mode, from, to, by, receipt, duration_ms });
    };
    return { id, receipt, end };
  }

  /**
   * Tries a move on a copy of the world, in slices. It doesn't wait for other moves, and isn't logged. Deliveries are
   * only counted, since an attempt can't be simulated.
   */
  async forecast(world: World, to: ClockTarget | "next") {
    const start = this.now(world);
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

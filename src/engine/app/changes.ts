// Changes and reads worlds. Due work runs before a world is read or changed, so a running clock and a held one give the same responses. The check
// costs one comparison, since the next due work changes only with a commit.

import { Slice } from "../../platform/slices.ts";
import { reject } from "../domain/kernel/domain-error.ts";
import type { ReceiptLine } from "../domain/kernel/facts.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { ClockMoved } from "../log/view.ts";
import { type Doer, settleOne } from "../time/advance.ts";
import { moveTo, run, type WallClock } from "../time/clock.ts";
import { type Due, findDue } from "../time/due.ts";
import type { Cause } from "../world/state/commit.ts";
import type { Transacted, World } from "../world/state/world.ts";

export interface ChangesDeps {
  /** The cause of the transaction that is running: its commit names it. */
  running: { cause: Cause };
  /** Returns the current world of an id, which a reset, a restore or an import replaces. */
  findCurrent(id: string): World | undefined;
  now(world: World): Instant;
  wall: WallClock;
  /** Sends the deliveries that became due. */
  wakeDispatcher(world: World): void;
  /** Creates the id of a receipt. */
  newId(): string;
  /** Records that time has passed, and the work that was done. */
  recordMove(world: World, move: Omit<ClockMoved, "world" | "mode">): void;
}

export class Changes {
  readonly #deps: ChangesDeps;
  readonly #next = new WeakMap<World, { commits: number; due: Due | undefined }>();
  /** The receipts of due work in progress, of a move of the clock or as time passes. */
  readonly #receipts = new WeakMap<World, { id: string; lines: ReceiptLine[] }>();
  /** A listener may read its world in the middle of the work. */
  readonly #busy = new WeakSet<World>();

  constructor(deps: ChangesDeps) {
    this.#deps = deps;
  }

  /** Changes the world at its present instant, after due work, and sends the deliveries that became due. */
  readonly change = <T>(world: World, cause: Cause, work: (tx: Transaction) => T): Transacted<T> => {
    const outcome = this.changeAt(world, this.catchUp(world), cause, work);
    if (outcome.facts.length > 0) this.#deps.wakeDispatcher(world);
    return outcome;
  };

  /** Changes the world at an instant of a clock move, which sends its own deliveries. */
  readonly changeAt = <T>(world: World, at: Instant, cause: Cause, work: (tx: Transaction) => T): Transacted<T> => {
    const current = this.#deps.findCurrent(world.id);
    if (!current) reject("NOT_FOUND", { kind: "world", id: world.id });
    if (current !== world) reject("WORLD_WAS_RESET", { world_id: world.id });
    this.#deps.running.cause = cause;
    return world.transact(at, work);
  };

  /** Reads the world after due work. */
  readonly read = <T>(world: World, question: (tx: Transaction) => T): T => world.read(this.catchUp(world), question);

  /** Performs all due work without a pause. Returns the present instant of the world. */
  catchUp(world: World): Instant {
    const at = this.#deps.now(world);
    this.#doDue(world, at, () => false);
    return at;
  }

  /** Performs all due work with turns for other requests in between. Returns undefined when nothing is due. */
  catchUpInTurns(world: World): Promise<void> | undefined {
    return this.#findDueBy(world, this.#deps.now(world)) ? this.#doInTurns(world) : undefined;
  }

  async #doInTurns(world: World): Promise<void> {
    const slice = new Slice();
    while (!this.#doDue(world, this.#deps.now(world), () => slice.isOver)) await slice.pause();
  }

  /** Performs work that is due at an instant. Returns whether all is done. A move of the clock sends its own deliveries. */
  #doDue(world: World, at: Instant, isOver: () => boolean): boolean {
    let due = this.#findDueBy(world, at);
    if (!due) return true;
    const { newId, wall, recordMove, wakeDispatcher } = this.#deps;
    const isMoving = this.isMoving(world);
    const [id, from, began, receipt] = [newId(), world.clock()?.at ?? at, wall(), [] as ReceiptLine[]];
    if (!isMoving) this.begin(world, id, receipt);
    try {
      do {
        this.performDue(world, due);
        due = this.#findDueBy(world, at);
      } while (due && !isOver());
    } finally {
      if (!isMoving) this.end(world);
      if (receipt.length > 0)
        recordMove(world, { id, from, to: this.#deps.now(world), by: "tick", receipt, duration_ms: wall() - began });
    }
    if (!isMoving) wakeDispatcher(world);
    return due === undefined;
  }

  #findDueBy(world: World, at: Instant): Due | undefined {
    if (this.#busy.has(world) || this.#deps.findCurrent(world.id) !== world) return undefined;
    const due = this.findNextDue(world);
    return due && due.at <= at ? due : undefined;
  }

  /** Finds the next due work. The result is cached until the next commit. */
  findNextDue(world: World): Due | undefined {
    const known = this.#next.get(world);
    if (known?.commits === world.commits) return known.due;
    const due = world.read(this.#deps.now(world), findDue);
    this.#next.set(world, { commits: world.commits, due });
    return due;
  }

  /** Performs one piece of due work, and adds it to the receipt. */
  performDue(world: World, due: Due): void {
    this.#busy.add(world);
    try {
      this.#receipts.get(world)?.lines.push(settleOne(world, due, this.createDoer(world)));
    } finally {
      this.#busy.delete(world);
    }
  }

  createDoer(world: World): Doer {
    const { wall } = this.#deps;
    return {
      change: (at, work) => this.changeAt(world, at, { kind: "clock", id: this.#receipts.get(world)?.id ?? "" }, work),
      clockAt: (at) => moveTo(world.clock() ?? run("", wall), at, wall),
    };
  }

  /** Begins a move of the clock. Until it ends, all due work is on its receipt, and has its id as cause. */
  begin(world: World, id: string, lines: ReceiptLine[]): void {
    this.#receipts.set(world, { id, lines });
  }

  end(world: World): void {
    this.#receipts.delete(world);
  }

  isMoving(world: World): boolean {
    return this.#receipts.has(world);
  }
}

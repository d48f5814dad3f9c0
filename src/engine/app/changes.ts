// Changes of worlds, each at an instant. What is due by a world's now is done before the world is read or changed, so a running clock and a
// held one give the same responses. To check costs a comparison, since the next thing due changes only with a commit.

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

/** What a change did. */
export type Done<T = object> = Transacted<T>;

export interface ChangesDeps {
  /** The cause of the transaction that is running: its commit names it. */
  running: { cause: Cause };
  /** The current world of that id; a reset, a restore or an import puts another in its place. */
  current(id: string): World | undefined;
  now(world: World): Instant;
  wall: WallClock;
  /** Sends the deliveries that became due. */
  nudge(world: World): void;
  /** A new id of a receipt. */
  newId(): string;
  /** Time has passed, and this was done on the way. */
  moved(world: World, move: Omit<ClockMoved, "world" | "mode">): void;
}

export class Changes {
  readonly #deps: ChangesDeps;
  readonly #next = new WeakMap<World, { commits: number; due: Due | undefined }>();
  /** The receipt of due work that is being done, by a move of the clock or as time passes. */
  readonly #receipts = new WeakMap<World, { id: string; lines: ReceiptLine[] }>();
  /** A listener may read its world in the middle of the work. */
  readonly #busy = new WeakSet<World>();

  constructor(deps: ChangesDeps) {
    this.#deps = deps;
  }

  /** Changes the world at its own now, once what is due by then is done, and sends the deliveries that became due. */
  readonly change = <T>(world: World, cause: Cause, work: (tx: Transaction) => T): Done<T> => {
    const outcome = this.changeAt(world, this.catchUp(world), cause, work);
    if (outcome.facts.length > 0) this.#deps.nudge(world);
    return outcome;
  };

  /** Changes the world at an instant of a clock move, which sends deliveries itself. */
  readonly changeAt = <T>(world: World, at: Instant, cause: Cause, work: (tx: Transaction) => T): Done<T> => {
    const current = this.#deps.current(world.id);
    if (!current) reject("NOT_FOUND", { kind: "world", id: world.id });
    if (current !== world) reject("WORLD_WAS_RESET", { world_id: world.id });
    this.#deps.running.cause = cause;
    return world.transact(at, work);
  };

  /** Reads the world once what is due by now is done. */
  readonly read = <T>(world: World, question: (tx: Transaction) => T): T => world.read(this.catchUp(world), question);

  /** Does all that is due by the world's now, without a pause. Returns that now. */
  catchUp(world: World): Instant {
    const at = this.#deps.now(world);
    this.#doDue(world, at, () => false);
    return at;
  }

  /** Does the same with turns for other requests in between. Returns undefined when nothing is due. */
  catchUpInTurns(world: World): Promise<void> | undefined {
    return this.#findDueBy(world, this.#deps.now(world)) ? this.#doInTurns(world) : undefined;
  }

  async #doInTurns(world: World): Promise<void> {
    const slice = new Slice();
    while (!this.#doDue(world, this.#deps.now(world), () => slice.isOver)) await slice.pause();
  }

  /** Returns whether everything due by then is done. A move of the clock sends the deliveries itself. */
  #doDue(world: World, at: Instant, isOver: () => boolean): boolean {
    let due = this.#findDueBy(world, at);
    if (!due) return true;
    const { newId, wall, moved, nudge } = this.#deps;
    const isMoving = this.isMoving(world);
    const [id, from, began, receipt] = [newId(), world.clock()?.at ?? at, wall(), [] as ReceiptLine[]];
    if (!isMoving) this.begin(world, id, receipt);
    try {
      do {
        this.doOne(world, due);
        due = this.#findDueBy(world, at);
      } while (due && !isOver());
    } finally {
      if (!isMoving) this.end(world);
      if (receipt.length > 0)
        moved(world, { id, from, to: this.#deps.now(world), by: "tick", receipt, duration_ms: wall() - began });
    }
    if (!isMoving) nudge(world);
    return due === undefined;
  }

  #findDueBy(world: World, at: Instant): Due | undefined {
    if (this.#busy.has(world) || this.#deps.current(world.id) !== world) return undefined;
    const due = this.next(world);
    return due && due.at <= at ? due : undefined;
  }

  /** The next thing due, found again only after a commit. */
  next(world: World): Due | undefined {
    const known = this.#next.get(world);
    if (known?.commits === world.commits) return known.due;
    const due = world.read(this.#deps.now(world), findDue);
    this.#next.set(world, { commits: world.commits, due });
    return due;
  }

  /** Does one thing, and adds it to the receipt. */
  doOne(world: World, due: Due): void {
    this.#busy.add(world);
    try {
      this.#receipts.get(world)?.lines.push(settleOne(world, due, this.doer(world)));
    } finally {
      this.#busy.delete(world);
    }
  }

  doer(world: World): Doer {
    const { wall } = this.#deps;
    return {
      change: (at, work) => this.changeAt(world, at, { kind: "clock", id: this.#receipts.get(world)?.id ?? "" }, work),
      clockAt: (at) => moveTo(world.clock() ?? run("", wall), at, wall),
    };
  }

  /** A move of the clock begins: until it ends, all due work is on its receipt, and has its id as cause. */
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

// What is due by a world's now is done before the world is read or changed, so that a running clock and a held one give the same
// answers. Checking costs a comparison, since the next thing due changes only with a commit.
import { Slice } from "../../platform/slices.ts";
import type { ReceiptLine } from "../domain/kernel/facts.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import { type Doer, settleOne } from "../time/advance.ts";
import { type Due, nextDue } from "../time/due.ts";
import type { Cause } from "../world/state/commit.ts";
import type { World } from "../world/state/world.ts";

export interface DueWork {
  /** The next thing due, found again only after a commit. */
  next(world: World): Due | undefined;
  /** Does one thing, and adds it to the receipt of a move that is under way. */
  doOne(world: World, due: Due): void;
  /** Does all that is due by the world's now, without a pause; returns that now. */
  catchUp(world: World): Instant;
  /** The same in pieces, with turns for other requests in between; undefined when nothing is due. */
  inTurns(world: World): Promise<void> | undefined;
  /** A move of the clock begins: all due work until it ends is on its receipt, which has this id. */
  begin(world: World, id: string, receipt: ReceiptLine[]): void;
  end(world: World): void;
  isMoving(world: World): boolean;
  /** What causes the due work that is being done: a move of the clock, or time that passes. */
  cause(world: World): Cause;
}

interface Passed {
  id: string;
  from: Instant;
  lines: readonly ReceiptLine[];
  /** Real time. */
  began: number;
}

interface DueWorkDeps {
  now(world: World): Instant;
  /** Whether this is still the current world of its id. */
  isCurrent(world: World): boolean;
  doer(world: World, cause: () => Cause): Doer;
  wall(): number;
  nudge(world: World): void;
  /** A new id of a receipt. */
  newId(): string;
  /** Time has passed, and this was done on the way. */
  passed(world: World, done: Passed): void;
}

export function makeDueWork({ now, isCurrent, doer, nudge, newId, passed, wall }: DueWorkDeps): DueWork {
  const known = new WeakMap<World, { commits: number; due: Due | undefined }>();
  const receipts = new WeakMap<World, { id: string; lines: ReceiptLine[] }>();
  /** Work that is due as time passes: one receipt for all that is done at once. */
  const passing = new WeakMap<World, { id: string; lines: ReceiptLine[] }>();
  /** A listener may read its world in the middle of the work. */
  const busy = new WeakSet<World>();

  const receiptOf = (world: World) => receipts.get(world) ?? passing.get(world);
  const causeOf = (world: World): Cause => ({ kind: "clock", id: receiptOf(world)?.id ?? "" });

  const next = (world: World): Due | undefined => {
    const found = known.get(world);
    if (found?.commits === world.commits) return found.due;
    const due = world.read(now(world), nextDue);
    known.set(world, { commits: world.commits, due });
    return due;
  };

  const dueBy = (world: World, at: Instant): Due | undefined => {
    if (busy.has(world) || !isCurrent(world)) return undefined;
    const due = next(world);
    return due && due.at <= at ? due : undefined;
  };

  const doOne = (world: World, due: Due): void => {
    busy.add(world);
    try {
      const line = settleOne(
        world,
        due,
        doer(world, () => causeOf(world)),
      );
      receiptOf(world)?.lines.push(line);
    } finally {
      busy.delete(world);
    }
  };

  /** Whether everything due by then is done. A move of the clock sends the deliveries itself. */
  const doSome = (world: World, at: Instant, isOver: () => boolean): boolean => {
    let due = dueBy(world, at);
    if (!due) return true;
    const [receipt, from, began] = [{ id: newId(), lines: [] }, world.clock()?.at ?? at, wall()];
    passing.set(world, receipt);
    try {
      do {
        doOne(world, due);
        due = dueBy(world, at);
      } while (due && !isOver());
    } finally {
      passing.delete(world);
      if (receipt.lines.length > 0) passed(world, { ...receipt, from, began });
    }
    if (!receipts.has(world)) nudge(world);
    return due === undefined;
  };

  const inPieces = async (world: World): Promise<void> => {
    const slice = new Slice();
    while (!doSome(world, now(world), () => slice.isOver)) await slice.rest();
  };

  return {
    next,
    doOne,
    catchUp(world) {
      const at = now(world);
      doSome(world, at, () => false);
      return at;
    },
    inTurns: (world) => (dueBy(world, now(world)) ? inPieces(world) : undefined),
    begin: (world, id, lines) => void receipts.set(world, { id, lines }),
    end: (world) => void receipts.delete(world),
    isMoving: (world) => receipts.has(world),
    cause: causeOf,
  };
}

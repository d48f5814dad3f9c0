// What is due by a world's now is done before the world is read or changed, so that a running clock and a held one give the same
// answers. Checking costs a comparison, since the next thing due changes only with a commit.
import { setImmediate as pause } from "node:timers/promises";
import type { ReceiptLine } from "../domain/kernel/facts.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import { type Doer, SLICE, settleOne } from "../time/advance.ts";
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
  begin(world: World, id: string): ReceiptLine[];
  end(world: World): void;
  isMoving(world: World): boolean;
  /** What causes the due work that is being done: a move of the clock, or time that passes. */
  cause(world: World): Cause;
}

interface Needs {
  now(world: World): Instant;
  /** Whether this is still the current world of its id. */
  isCurrent(world: World): boolean;
  doer(world: World): Doer;
  nudge(world: World): void;
  /** A new id of a receipt. */
  newId(): string;
}

export function makeDueWork({ now, isCurrent, doer, nudge, newId }: Needs): DueWork {
  const known = new WeakMap<World, { commits: number; due: Due | undefined }>();
  const receipts = new WeakMap<World, { id: string; lines: ReceiptLine[] }>();
  /** Work that is due as time passes, one id for all that is done at once. */
  const passing = new WeakMap<World, string>();
  /** A listener may read its world in the middle of the work. */
  const busy = new WeakSet<World>();

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
      const line = settleOne(world, due, doer(world));
      receipts.get(world)?.lines.push(line);
    } finally {
      busy.delete(world);
    }
  };

  /** Whether everything due by then is done. A move of the clock sends the deliveries itself. */
  const doSome = (world: World, at: Instant, most: number): boolean => {
    let due = dueBy(world, at);
    if (!due) return true;
    passing.set(world, newId());
    for (let count = 0; due && count < most; count++) {
      doOne(world, due);
      due = dueBy(world, at);
    }
    if (!receipts.has(world)) nudge(world);
    return due === undefined;
  };

  const inPieces = async (world: World): Promise<void> => {
    while (!doSome(world, now(world), SLICE)) await pause();
  };

  return {
    next,
    doOne,
    catchUp(world) {
      const at = now(world);
      doSome(world, at, Number.POSITIVE_INFINITY);
      return at;
    },
    inTurns: (world) => (dueBy(world, now(world)) ? inPieces(world) : undefined),
    begin(world, id) {
      const lines: ReceiptLine[] = [];
      receipts.set(world, { id, lines });
      return lines;
    },
    end: (world) => void receipts.delete(world),
    isMoving: (world) => receipts.has(world),
    cause: (world) => ({ kind: "clock", id: receipts.get(world)?.id ?? passing.get(world) ?? "" }),
  };
}

// The trial balance of a world, of one moment however long it takes: it is read from a copy, in slices, so that others are answered.

import { inSlices } from "../../platform/slices.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { type BookSpan, BookSums, type TrialBalance, trialBalance } from "../domain/money/books.ts";
import { makeWorld, type SharedHooks, type World } from "../world/state/world.ts";

export class TrialBalances {
  readonly #hooksOf: (world: string) => SharedHooks;
  /** The sums of the latest question about each world. */
  readonly #latest = new WeakMap<World, BookSums>();

  constructor(hooksOf: (world: string) => SharedHooks) {
    this.#hooksOf = hooksOf;
  }

  /** `live` is asked for its indexes: one that only the copy builds is lost with it. */
  read(world: World, live: Transaction, span: BookSpan): Promise<TrialBalance> {
    live.entries.first("occurred");
    live.orders.first("created");
    const copy = makeWorld(world.id, { ...this.#hooksOf(world.id), append: () => undefined }, world.copy());
    return inSlices(copy.read(live.now, (tx) => this.#steps(tx, world, span)));
  }

  *#steps(tx: Transaction, world: World, span: BookSpan): Generator<void, TrialBalance> {
    const known = this.#latest.get(world);
    // Taken out while it grows, so that no other question extends it at the same time.
    this.#latest.delete(world);
    const isSame = known && JSON.stringify(known.span) === JSON.stringify(span);
    const isComplete = isSame && (yield* known.addNew(tx));
    const sums = isComplete ? known : new BookSums(span);
    if (!isComplete) yield* sums.addNew(tx);
    const balance = yield* trialBalance(tx, sums);
    this.#latest.set(world, sums);
    return balance;
  }
}

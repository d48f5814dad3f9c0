// The trial balance of a world, of one moment however long it takes: it is read from a copy, in slices, so that others are answered.

import { inSlices } from "../../platform/slices.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { type BookSpan, type TrialBalance, trialBalance } from "../domain/money/books.ts";
import { makeWorld, type SharedHooks, type World } from "../world/state/world.ts";

/** `live` is asked for its indexes, so that a large one that is missing is built before. */
export function trialBalanceOf(
  world: World,
  live: Transaction,
  span: BookSpan,
  hooks: SharedHooks,
): Promise<TrialBalance> {
  live.entries.first("occurred");
  live.orders.first("created");
  const copy = makeWorld(world.id, { ...hooks, keep: () => undefined }, world.copy());
  return inSlices(copy.read(live.now, (tx) => trialBalance(tx, span)));
}

// What a move of the clock would do, tried on a copy of the world. Deliveries are only counted, since an attempt can't be simulated.
import { Slice } from "../../platform/slices.ts";
import type { MoveCounts, ReceiptLine } from "../domain/kernel/facts.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import { settling } from "../time/advance.ts";
import { held } from "../time/clock.ts";
import { nextDue } from "../time/due.ts";
import { makeWorld, type SharedHooks, type World } from "../world/state/world.ts";

/**
 * Changes nothing; the receipt is what a real move would have, less its deliveries. In slices, since a move may do
 * much.
 */
export async function lookAhead(
  world: World,
  { start, until, hooks }: { start: Instant; until: Instant | "next"; hooks: SharedHooks },
): Promise<{ now: Instant; counts: MoveCounts; receipt: ReceiptLine[] }> {
  // Its writes go nowhere.
  const copy = makeWorld(world.id, { ...hooks, append: () => undefined }, world.copy());
  const mover = { change: copy.transact, nextDue: () => copy.read(start, nextDue), clockAt: held };
  const target = until === "next" ? (mover.nextDue()?.at ?? start) : until;
  const receipt: ReceiptLine[] = [];
  const slice = new Slice();
  for (;;) {
    const step = settling(copy, target, mover).next();
    if (step.done) break;
    receipt.push(step.value);
    if (slice.isOver) await slice.rest();
  }
  const deliveries = copy.read(target, (tx) => {
    let found = 0;
    for (const { next_attempt_at = "" } of tx.deliveries.walk("due")) {
      // The index is in order of time.
      if (next_attempt_at > target) break;
      found++;
    }
    return found;
  });
  return { now: target, counts: { due: receipt.length, deliveries }, receipt };
}

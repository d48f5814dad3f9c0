// What becomes of a delivery: it is PENDING until it is settled, and can be made PENDING again. Queues are read from their index,
// so that a question costs the same however many are pending. Assumptions: delivery-order, subscription-delete.

import { endOf, queueOf } from "../domain/kernel/index-keys.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import type { Delivery } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { letGo } from "./retention.ts";

export type Settled = Exclude<Delivery["state"], "PENDING">;

export function settle(tx: Transaction, delivery: Delivery, state: Settled): Delivery {
  const { next_attempt_at: _, ...rest } = delivery;
  const settled: Delivery = { ...rest, state, settled_at: tx.now };
  tx.deliveries.put(settled);
  const message = tx.messages.get(delivery.message_id);
  if (message) letGo(tx, message);
  return settled;
}

/** Due at once, at the start of the schedule. */
export function renew(tx: Transaction, delivery: Delivery): void {
  const { settled_at: _, ...rest } = delivery;
  tx.deliveries.put({ ...rest, state: "PENDING", tries: 0, next_attempt_at: tx.now });
}

/** Ends everything that is pending for a subscription. */
export function endAllOf(tx: Transaction, subscriptionId: string, state: Settled): void {
  const bounds = { from: subscriptionId, until: endOf(subscriptionId) };
  for (const delivery of [...tx.deliveries.walk("queue", bounds)]) settle(tx, delivery, state);
}

/** The queues in which something is due. */
export function queuesDue(tx: Transaction): string[] {
  const due: string[] = [];
  let head = firstOf(tx.deliveries.walk("queue"));
  while (head) {
    const queue = queueOf(head);
    if ((head.next_attempt_at ?? "") <= tx.now) due.push(queue);
    head = firstOf(tx.deliveries.walk("queue", { from: endOf(queue) }));
  }
  return due;
}

/** The next ones of a queue that are due and not taken, at most so many. */
export function dueIn(tx: Transaction, queue: string, most: number, taken: ReadonlySet<string>): Delivery[] {
  const found: Delivery[] = [];
  if (most <= 0) return found;
  for (const delivery of tx.deliveries.walk("queue", { from: queue, until: endOf(queue) })) {
    if ((delivery.next_attempt_at ?? "") > tx.now) break;
    if (!taken.has(delivery.id)) found.push(delivery);
    if (found.length >= most) break;
  }
  return found;
}

/** Everything that is due, in order. */
export function allDue(tx: Transaction): string[] {
  return Array.from(tx.deliveries.walk("due", { until: `${tx.now}\u0001` }), ({ id }) => id);
}

/** When a delivery is next due: the first of all, or the first after an instant. */
export function nextDelivery(tx: Transaction, later?: Instant): Instant | undefined {
  return firstOf(tx.deliveries.walk("due", later ? { from: `${later}\u0001` } : {}))?.next_attempt_at;
}

export function firstOf<R>(records: Iterable<R>): R | undefined {
  for (const record of records) return record;
  return undefined;
}

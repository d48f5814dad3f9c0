// The states of a delivery: PENDING until it is settled, and PENDING again on a resend. Queues are read from their index, so that a
// read costs the same however many deliveries are pending. Assumptions: delivery-order, subscription-delete.

import { behindKey, endOf, queueOf } from "../domain/kernel/index-keys.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import type { Delivery } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { forgetIfOld } from "./retention.ts";

type DeliveryEnd = Exclude<Delivery["state"], "PENDING">;

export function settle(tx: Transaction, delivery: Delivery, state: DeliveryEnd): Delivery {
  const { next_attempt_at: _, resend: __, ...rest } = delivery;
  const settled: Delivery = { ...rest, state, settled_at: tx.now };
  tx.deliveries.put(settled);
  const message = tx.messages.get(delivery.message_id);
  if (message) forgetIfOld(tx, message);
  return settled;
}

/** When a message is sent again, and whether in copies or altered. */
export interface EndOptions {
  at: Instant;
  resend?: NonNullable<Delivery["resend"]>;
}

/** Makes a delivery PENDING and due at once, or as it says, with the whole retry schedule before it. */
export function renew(tx: Transaction, delivery: Delivery, { at, resend }: EndOptions = { at: tx.now }): void {
  const { settled_at: _, resend: __, ...rest } = delivery;
  tx.deliveries.put({ ...rest, state: "PENDING", tries: 0, next_attempt_at: at, ...(resend ? { resend } : {}) });
}

/** Settles all pending deliveries of a subscription, or those that are chosen. */
export function endAllOf(
  tx: Transaction,
  subscriptionId: string,
  state: DeliveryEnd,
  isChosen: (delivery: Delivery) => boolean = () => true,
): void {
  const bounds = { from: subscriptionId, until: endOf(subscriptionId) };
  for (const delivery of [...tx.deliveries.walk("queue", bounds)].filter(isChosen)) settle(tx, delivery, state);
}

/** The queues with a delivery that is due. */
export function listDueQueues(tx: Transaction): string[] {
  const due: string[] = [];
  let head = getFirst(tx.deliveries.walk("queue"));
  while (head) {
    const queue = queueOf(head);
    if ((head.next_attempt_at ?? "") <= tx.now) due.push(queue);
    head = getFirst(tx.deliveries.walk("queue", { from: endOf(queue) }));
  }
  return due;
}

/** The first `most` deliveries of a queue that are due and not taken. */
export function listDue(tx: Transaction, queue: string, most: number, isTaken: (id: string) => boolean): Delivery[] {
  const found: Delivery[] = [];
  if (most <= 0) return found;
  for (const delivery of tx.deliveries.walk("queue", { from: queue, until: endOf(queue) })) {
    if ((delivery.next_attempt_at ?? "") > tx.now) break;
    if (!isTaken(delivery.id)) found.push(delivery);
    if (found.length >= most) break;
  }
  return found;
}

/** The ids of all deliveries that are due, in order. */
export function listAllDue(tx: Transaction): string[] {
  return Array.from(tx.deliveries.walk("due", { until: behindKey(tx.now) }), ({ id }) => id);
}

interface Selection {
  after?: Instant;
  except?(id: string): boolean;
}

/** When the next delivery is due: the first of all, or of those after an instant. */
export function findNextTime(tx: Transaction, { after, except = () => false }: Selection): Instant | undefined {
  for (const { id, next_attempt_at } of tx.deliveries.walk("due", after ? { from: `${after}\u0001` } : {}))
    if (!except(id)) return next_attempt_at;
  return undefined;
}

export function getFirst<R>(records: Iterable<R>): R | undefined {
  for (const record of records) return record;
  return undefined;
}

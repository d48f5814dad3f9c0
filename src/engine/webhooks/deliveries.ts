// Changes the state of deliveries, lists those that are due, and deletes old ones with their messages. A delivery is PENDING until it
// ends, and PENDING again on a resend. An index holds the queues, so a read costs the same for any number of deliveries. Assumptions:
// delivery-order, subscription-delete.

import { toKeyEnd, toPrefixEnd, toQueueKey, toSortable } from "../domain/kernel/index-keys.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import type { Delivery, Message } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";

type FinalState = Exclude<Delivery["state"], "PENDING">;

export function endDelivery(tx: Transaction, delivery: Delivery, state: FinalState): Delivery {
  const { next_attempt_at: _, resend: __, ...rest } = delivery;
  const settled: Delivery = { ...rest, state, settled_at: tx.now };
  tx.deliveries.put(settled);
  const message = tx.messages.get(delivery.message_id);
  if (message) deleteIfReplaced(tx, message);
  return settled;
}

/** When to send a delivery, and whether to send copies or alter it. */
export interface SendOptions {
  at: Instant;
  resend?: NonNullable<Delivery["resend"]>;
}

/** Makes a delivery PENDING again with a new retry schedule. It is due immediately by default. */
export function restart(tx: Transaction, delivery: Delivery, { at, resend }: SendOptions = { at: tx.now }): void {
  const { settled_at: _, resend: __, ...rest } = delivery;
  tx.deliveries.put({ ...rest, state: "PENDING", tries: 0, next_attempt_at: at, ...(resend ? { resend } : {}) });
}

/** Ends the pending deliveries of a subscription: all by default, or those that `isChosen` selects. */
export function endDeliveries(
  tx: Transaction,
  subscriptionId: string,
  state: FinalState,
  isChosen: (delivery: Delivery) => boolean = () => true,
): void {
  const bounds = { from: subscriptionId, until: toPrefixEnd(subscriptionId) };
  for (const delivery of [...tx.deliveries.walk("queue", bounds)].filter(isChosen)) endDelivery(tx, delivery, state);
}

/** Lists the queues with a delivery that is due. */
export function listDueQueues(tx: Transaction): string[] {
  const due: string[] = [];
  let head = getFirst(tx.deliveries.walk("queue"));
  while (head) {
    const queue = toQueueKey(head);
    if ((head.next_attempt_at ?? "") <= tx.now) due.push(queue);
    head = getFirst(tx.deliveries.walk("queue", { from: toPrefixEnd(queue) }));
  }
  return due;
}

/** The first `limit` deliveries of a queue that are due and not taken. */
export function listDue(tx: Transaction, queue: string, limit: number, isTaken: (id: string) => boolean): Delivery[] {
  const found: Delivery[] = [];
  if (limit <= 0) return found;
  for (const delivery of tx.deliveries.walk("queue", { from: queue, until: toPrefixEnd(queue) })) {
    if ((delivery.next_attempt_at ?? "") > tx.now) break;
    if (!isTaken(delivery.id)) found.push(delivery);
    if (found.length >= limit) break;
  }
  return found;
}

/** Lists the ids of all deliveries that are due, in order. */
export function listAllDue(tx: Transaction): string[] {
  return Array.from(tx.deliveries.walk("due", { until: toKeyEnd(tx.now) }), ({ id }) => id);
}

interface DueFilter {
  after?: Instant;
  except?(id: string): boolean;
}

/** Returns when the next delivery is due, optionally after an instant. */
export function findNextTime(tx: Transaction, { after, except = () => false }: DueFilter): Instant | undefined {
  for (const { id, next_attempt_at } of tx.deliveries.walk("due", after ? { from: `${after}\u0001` } : {}))
    if (!except(id)) return next_attempt_at;
  return undefined;
}

export function getFirst<R>(records: Iterable<R>): R | undefined {
  for (const record of records) return record;
  return undefined;
}

// Deletes old messages. The latest 10,000 are stored, and older ones while a delivery is pending. Messages are numbered without
// gaps, so the number of a new message gives the number of the message that it replaces. Assumption: message-retention.

export const MAX_STORED_MESSAGES = 10_000;

/** Deletes the messages that the latest `count` messages replace, unless they have a pending delivery. */
export function deleteReplacedMessages(tx: Transaction, { place }: Message, count: number): void {
  const last = place - MAX_STORED_MESSAGES;
  if (last < 1) return;
  const replaced = { from: toSortable(Math.max(1, last - count + 1)), until: toKeyEnd(toSortable(last)) };
  for (const message of [...tx.messages.walk("created", replaced)]) deleteUnlessPending(tx, message);
}

/** Deletes a message beyond the latest 10,000 once its last delivery has ended. */
function deleteIfReplaced(tx: Transaction, message: Message): void {
  const newest = tx.counters.get("counters")?.deliveries ?? 0;
  if (message.place <= newest - MAX_STORED_MESSAGES) deleteUnlessPending(tx, message);
}

function deleteUnlessPending(tx: Transaction, { id }: Message): void {
  const deliveries = tx.deliveries.where("message", id);
  if (deliveries.every(({ state }) => state !== "PENDING")) deleteWithDeliveries(tx, id, deliveries);
}

export function deleteMessage(tx: Transaction, { id }: Message): void {
  deleteWithDeliveries(tx, id, tx.deliveries.where("message", id));
}

function deleteWithDeliveries(tx: Transaction, id: string, deliveries: readonly Delivery[]): void {
  for (const delivery of deliveries) tx.deliveries.remove(delivery.id);
  tx.messages.remove(id);
}

// Deletes old messages. The latest 10,000 are stored, and older ones while a delivery is pending. Messages are numbered without
// gaps, so the number of a new message gives the number of the message that it replaces. Assumption: message-retention.

import { toKeyEnd, toSortable } from "../domain/kernel/index-keys.ts";
import type { Delivery, Message } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";

export const MAX_STORED_MESSAGES = 10_000;

/** Deletes the messages that the latest `count` messages replace, unless they have a pending delivery. */
export function deleteReplacedMessages(tx: Transaction, { place }: Message, count: number): void {
  const last = place - MAX_STORED_MESSAGES;
  if (last < 1) return;
  const replaced = { from: toSortable(Math.max(1, last - count + 1)), until: toKeyEnd(toSortable(last)) };
  for (const message of [...tx.messages.walk("created", replaced)]) deleteUnlessPending(tx, message);
}

/** Deletes a message beyond the latest 10,000 once its last delivery has ended. */
export function deleteIfReplaced(tx: Transaction, message: Message): void {
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

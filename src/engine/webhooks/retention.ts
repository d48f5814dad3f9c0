// Which messages are stored: the latest 10,000, and older ones while a delivery is pending. Messages are numbered without gaps, so
// the one that a new message replaces is found by its number. Assumption: message-retention.

import { behindKey, ordered } from "../domain/kernel/index-keys.ts";
import type { Delivery, Message } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";

export const MAX_STORED_MESSAGES = 10_000;

/** Removes the messages that the latest `count` ones replace, unless they have a pending delivery. */
export function forgetOldest(tx: Transaction, { place }: Message, count: number): void {
  const last = place - MAX_STORED_MESSAGES;
  if (last < 1) return;
  const replaced = { from: ordered(Math.max(1, last - count + 1)), until: behindKey(ordered(last)) };
  for (const message of [...tx.messages.walk("created", replaced)]) forgetSettled(tx, message);
}

/** Removes an older message once its last delivery is settled. */
export function forgetIfOld(tx: Transaction, message: Message): void {
  const newest = tx.counters.get("counters")?.deliveries ?? 0;
  if (message.place <= newest - MAX_STORED_MESSAGES) forgetSettled(tx, message);
}

function forgetSettled(tx: Transaction, { id }: Message): void {
  const deliveries = tx.deliveries.where("message", id);
  if (deliveries.every(({ state }) => state !== "PENDING")) forget(tx, id, deliveries);
}

export function forgetMessage(tx: Transaction, { id }: Message): void {
  forget(tx, id, tx.deliveries.where("message", id));
}

function forget(tx: Transaction, id: string, deliveries: readonly Delivery[]): void {
  for (const delivery of deliveries) tx.deliveries.remove(delivery.id);
  tx.messages.remove(id);
}

// Which messages are stored: the latest 10,000, and older ones while a delivery is pending. Messages are numbered without gaps, so
// the one that a new message replaces is found by its number. Assumption: message-retention.

import { ordered } from "../domain/kernel/index-keys.ts";
import type { Message } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";

export const STORED_MESSAGES = 10_000;

export function isSettled(tx: Transaction, messageId: string): boolean {
  return tx.deliveries.where("message", messageId).every(({ state }) => state !== "PENDING");
}

/** Removes the message that is too old once a message has this number, unless it has a pending delivery. */
export function forgetOldest(tx: Transaction, number: number): void {
  const [old] = number > STORED_MESSAGES ? tx.messages.where("created", ordered(number - STORED_MESSAGES)) : [];
  if (old && isSettled(tx, old.id)) forgetMessage(tx, old);
}

/** Removes an older message once its last delivery is settled. */
export function forgetIfOld(tx: Transaction, message: Message): void {
  const newest = tx.counters.get("counters")?.deliveries ?? 0;
  if (message.place <= newest - STORED_MESSAGES && isSettled(tx, message.id)) forgetMessage(tx, message);
}

export function forgetMessage(tx: Transaction, message: Message): void {
  for (const { id } of tx.deliveries.where("message", message.id)) tx.deliveries.remove(id);
  tx.messages.remove(message.id);
}

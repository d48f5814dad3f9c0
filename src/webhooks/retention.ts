// How long messages are kept: the latest 10,000, and older ones only while a delivery is pending. Messages are numbered without
// gaps, so what a new one pushes out is found by its number. Assumption: message-retention.

import { ordered } from "../domain/kernel/index-keys.ts";
import type { Message } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";

export const KEPT_MESSAGES = 10_000;

export function isSettled(tx: Transaction, messageId: string): boolean {
  return tx.deliveries.where("message", messageId).every(({ state }) => state !== "PENDING");
}

/** A new message at this place pushes out the one that is now too old, unless it is still to be delivered. */
export function makeRoom(tx: Transaction, place: number): void {
  const [old] = place > KEPT_MESSAGES ? tx.messages.where("created", ordered(place - KEPT_MESSAGES)) : [];
  if (old && isSettled(tx, old.id)) forgetMessage(tx, old);
}

/** A message that was kept only because it was pending goes once it is settled. */
export function letGo(tx: Transaction, message: Message): void {
  const newest = tx.counters.get("counters")?.deliveries ?? 0;
  if (message.place <= newest - KEPT_MESSAGES && isSettled(tx, message.id)) forgetMessage(tx, message);
}

export function forgetMessage(tx: Transaction, message: Message): void {
  for (const { id } of tx.deliveries.where("message", message.id)) tx.deliveries.remove(id);
  tx.messages.remove(message.id);
}

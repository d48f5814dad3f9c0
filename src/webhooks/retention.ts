// How long messages are kept: the latest 10,000, and older ones only while a delivery is pending. Messages are numbered without
// gaps, so what a new one pushes out is found by its number. Assumption: message-retention.
import type { Desk } from "../domain/desk.ts";
import { ordered } from "../domain/index-keys.ts";
import type { Message } from "../domain/records.ts";

export const KEPT_MESSAGES = 10_000;

export function isSettled(desk: Desk, messageId: string): boolean {
  return desk.deliveries.where("message", messageId).every(({ state }) => state !== "PENDING");
}

/** A new message at this place pushes out the one that is now too old, unless it is still to be delivered. */
export function makeRoom(desk: Desk, place: number): void {
  const [old] = place > KEPT_MESSAGES ? desk.messages.where("created", ordered(place - KEPT_MESSAGES)) : [];
  if (old && isSettled(desk, old.id)) forgetMessage(desk, old);
}

/** A message that was kept only because it was pending goes once it is settled. */
export function letGo(desk: Desk, message: Message): void {
  const newest = desk.counters.get("counters")?.deliveries ?? 0;
  if (message.place <= newest - KEPT_MESSAGES && isSettled(desk, message.id)) forgetMessage(desk, message);
}

export function forgetMessage(desk: Desk, message: Message): void {
  for (const { id } of desk.deliveries.where("message", message.id)) desk.deliveries.remove(id);
  desk.messages.remove(message.id);
}

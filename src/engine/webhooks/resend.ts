// Resends a message on request: to all its subscriptions or to one, once or in copies, unchanged or altered. Assumption:
// delivery-retry (the same webhook-id).

import type { Schemas } from "../../contract/schemas.ts";
import { reject } from "../domain/kernel/domain-error.ts";
import { after, type Instant, isBeyondTime, isDuration, readInstant } from "../domain/kernel/instant.ts";
import { loadSubscription } from "../domain/kernel/lookups.ts";
import type { Message } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { restart, type SendOptions } from "./deliveries.ts";
import { addDelivery } from "./outbox.ts";

export type ResendInput = Schemas["ResendInput"];
export type ResendSelection = Schemas["ResendFailedInput"];

function addDelay(now: Instant, delay: string): Instant {
  if (isDuration(delay) && !isBeyondTime(now, delay)) return after(now, delay);
  return reject("INVALID_INPUT", { path: "body.delay", what: `${delay.slice(0, 60)} is not a duration such as PT5M.` });
}

/**
 * Resends the message to its original subscriptions, or to all with its kind if it had none. DISABLED subscriptions get nothing.
 * Rejects with INVALID_INPUT, NOT_FOUND or WRONG_STATE, and with NO_SUBSCRIPTION if no subscription would receive it.
 */
export function resend(tx: Transaction, message: Message, input: ResendInput): void {
  const { subscription_id } = input;
  resendToAll(tx, message, subscription_id === undefined ? listRecipients(tx, message) : [subscription_id], input);
}

function resendToAll(
  tx: Transaction,
  message: Message,
  subscriptionIds: Iterable<string>,
  { copies = 1, tamper, delay }: ResendInput,
): void {
  const schedule: SendOptions = {
    at: delay === undefined ? tx.now : addDelay(tx.now, delay),
    ...(copies > 1 || tamper ? { resend: { copies, ...(tamper ? { tamper } : {}) } } : {}),
  };
  for (const id of subscriptionIds) resendTo(tx, message, id, schedule);
}

/** Resends the selected messages and returns them, oldest first. Rejects like `resend`, and then sends nothing. */
export function resendSelected(tx: Transaction, selection: ResendSelection): Message[] {
  const { failed_since, failed = failed_since !== undefined, kind, since, ...input } = selection;
  const failedDeliveries = failed ? findFailedDeliveries(tx, toComparableInstant(failed_since)) : undefined;
  const from = toComparableInstant(since);
  const messages = Array.from(tx.messages.walk("created")).filter(
    (message) =>
      (kind === undefined || message.kind === kind) &&
      message.created_at >= from &&
      failedDeliveries?.has(message.id) !== false,
  );
  for (const message of messages) {
    const isAddressed = input.subscription_id !== undefined || failedDeliveries === undefined;
    if (isAddressed) resend(tx, message, input);
    else resendToAll(tx, message, failedDeliveries.get(message.id) ?? [], input);
  }
  return messages;
}

/** Normalizes an instant, because instants compare as text only in one format. */
const toComparableInstant = (instant = ""): Instant => readInstant(instant) ?? instant;

/** Returns, by message, the ENABLED subscriptions whose delivery was given up, or whose last attempt failed, since the instant. */
function findFailedDeliveries(tx: Transaction, since: Instant): Map<string, string[]> {
  const selected = new Map<string, string[]>();
  for (const { message_id, subscription_id, settled_at, attempts } of tx.deliveries.walk("failed")) {
    if ((settled_at ?? attempts.at(-1)?.at ?? "") < since || !canReceive(tx, subscription_id)) continue;
    selected.set(message_id, [...(selected.get(message_id) ?? []), subscription_id]);
  }
  return selected;
}

/** A message that had subscriptions goes to no others, even if its own are DISABLED or deleted now. */
function listRecipients(tx: Transaction, { id, kind }: Message): string[] {
  const deliveries = tx.deliveries.where("message", id);
  const candidates =
    deliveries.length > 0
      ? deliveries.map(({ subscription_id }) => subscription_id)
      : Array.from(tx.subscriptions.walk("created"))
          .filter(({ event_types }) => (event_types as readonly string[]).includes(kind))
          .map((subscription) => subscription.id);
  const recipients = candidates.filter((subscription) => canReceive(tx, subscription));
  return recipients.length > 0 ? recipients : reject("NO_SUBSCRIPTION", { id });
}

/** Resends the message to one subscription, even if it had no delivery to it. */
function resendTo(tx: Transaction, message: Message, id: string, schedule: SendOptions): void {
  const subscription = loadSubscription(tx, id);
  const { state } = subscription;
  if (state !== "ENABLED")
    reject("WRONG_STATE", { kind: "Webhook subscription", id, state, wanted: "be sent to", from: "ENABLED" });
  // The delivery is reused, because the subscription may have only one delivery of a message.
  const existing = tx.deliveries.where("message", message.id).find((delivery) => delivery.subscription_id === id);
  if (existing) restart(tx, existing, schedule);
  else addDelivery(tx, message, subscription, schedule);
}

/** Returns whether the subscription exists and is ENABLED. */
function canReceive(tx: Transaction, subscriptionId: string): boolean {
  return tx.subscriptions.get(subscriptionId)?.state === "ENABLED";
}

// Sending a message again by hand: to all that it was for or to one, once or in copies, as it was or altered. Assumption:
// delivery-retry (the same webhook-id).

import type { Schemas } from "../../contract/schemas.ts";
import { found, reject } from "../domain/kernel/domain-error.ts";
import { after, type Instant, isBeyondTime, isDuration, readInstant } from "../domain/kernel/instant.ts";
import type { Message } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { type EndOptions, renew } from "./deliveries.ts";
import { addDelivery } from "./outbox.ts";

export type ResendInput = Schemas["ResendInput"];
export type ResendSelection = Schemas["ResendFailedInput"];

function addDelay(now: Instant, delay: string): Instant {
  if (isDuration(delay) && !isBeyondTime(now, delay)) return after(now, delay);
  return reject("INVALID_INPUT", { path: "body.delay", what: `${delay.slice(0, 60)} is not a duration such as PT5M.` });
}

/**
 * Resends to the subscriptions that it was for; if there were none, to all with its kind. A DISABLED one gets nothing.
 * Rejects with INVALID_INPUT, NOT_FOUND or WRONG_STATE, and with NO_SUBSCRIPTION where nobody would get it.
 */
export function resend(tx: Transaction, message: Message, input: ResendInput): void {
  const { subscription_id } = input;
  sendTo(tx, message, subscription_id === undefined ? listTakers(tx, message) : [subscription_id], input);
}

function sendTo(
  tx: Transaction,
  message: Message,
  subscriptionIds: Iterable<string>,
  { copies = 1, tamper, delay }: ResendInput,
): void {
  const how: EndOptions = {
    at: delay === undefined ? tx.now : addDelay(tx.now, delay),
    ...(copies > 1 || tamper ? { resend: { copies, ...(tamper ? { tamper } : {}) } } : {}),
  };
  for (const id of subscriptionIds) resendTo(tx, message, id, how);
}

/** Resends what the selection names and returns it, oldest first. It rejects as `resend` does; then nothing is sent. */
export function resendSelected(tx: Transaction, selection: ResendSelection): Message[] {
  const { failed_since, failed = failed_since !== undefined, kind, since, ...input } = selection;
  const failedDeliveries = failed ? selectFailed(tx, toComparable(failed_since)) : undefined;
  const from = toComparable(since);
  const messages = Array.from(tx.messages.walk("created")).filter(
    (message) =>
      (kind === undefined || message.kind === kind) &&
      message.created_at >= from &&
      failedDeliveries?.has(message.id) !== false,
  );
  for (const message of messages) {
    const isAddressed = input.subscription_id !== undefined || failedDeliveries === undefined;
    if (isAddressed) resend(tx, message, input);
    else sendTo(tx, message, failedDeliveries.get(message.id) ?? [], input);
  }
  return messages;
}

/** Instants compare as text only in one spelling. */
const toComparable = (instant = ""): Instant => readInstant(instant) ?? instant;

/** By message: the enabled subscriptions whose delivery was given up, or whose last attempt failed, since then. */
function selectFailed(tx: Transaction, since: Instant): Map<string, string[]> {
  const selected = new Map<string, string[]>();
  for (const { message_id, subscription_id, settled_at, attempts } of tx.deliveries.walk("failed")) {
    if ((settled_at ?? attempts.at(-1)?.at ?? "") < since || !canReceive(tx, subscription_id)) continue;
    selected.set(message_id, [...(selected.get(message_id) ?? []), subscription_id]);
  }
  return selected;
}

/** One that it was for stays the only one for it, also when that is DISABLED or deleted by now. */
function listTakers(tx: Transaction, { id, kind }: Message): string[] {
  const deliveries = tx.deliveries.where("message", id);
  const meant =
    deliveries.length > 0
      ? deliveries.map(({ subscription_id }) => subscription_id)
      : Array.from(tx.subscriptions.walk("created"))
          .filter(({ event_types }) => (event_types as readonly string[]).includes(kind))
          .map((subscription) => subscription.id);
  const takers = meant.filter((subscription) => canReceive(tx, subscription));
  return takers.length > 0 ? takers : reject("NO_SUBSCRIPTION", { id });
}

/** To one subscription, also when the message was not for it. */
function resendTo(tx: Transaction, message: Message, id: string, how: EndOptions): void {
  const subscription = found(tx.subscriptions.get(id), "webhook subscription", id);
  if (subscription.state !== "ENABLED")
    reject("WRONG_STATE", {
      kind: "Webhook subscription",
      id,
      state: subscription.state,
      wanted: "be sent to",
      from: "ENABLED",
    });
  // A second delivery to the same subscription would be another message to it.
  const known = tx.deliveries.where("message", message.id).find((delivery) => delivery.subscription_id === id);
  if (known) renew(tx, known, how);
  else addDelivery(tx, message, subscription, how);
}

/** Whether the subscription gets anything at present. */
function canReceive(tx: Transaction, subscriptionId: string): boolean {
  return tx.subscriptions.get(subscriptionId)?.state === "ENABLED";
}

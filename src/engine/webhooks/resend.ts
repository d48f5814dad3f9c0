// Sending a message again by hand: to all that it was for or to one, once or in copies, as it was or altered. Assumption:
// delivery-retry (the same webhook-id).

import type { Schemas } from "../../contract/schemas.ts";
import { found, reject } from "../domain/kernel/domain-error.ts";
import { after, type Instant, isBeyondTime, isDuration } from "../domain/kernel/instant.ts";
import type { Message } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { type How, renew } from "./deliveries.ts";
import { addDelivery } from "./outbox.ts";

export type ResendInput = Schemas["ResendInput"];

function laterBy(now: Instant, delay: string): Instant {
  if (isDuration(delay) && !isBeyondTime(now, delay)) return after(now, delay);
  return reject("INVALID_INPUT", { path: "body.delay", what: `${delay.slice(0, 60)} is not a duration such as PT5M.` });
}

/**
 * Resends to the subscriptions that it was for; if there were none, to all with its kind. A DISABLED one gets nothing.
 * Rejects with INVALID_INPUT, NOT_FOUND or WRONG_STATE.
 */
export function resend(
  tx: Transaction,
  message: Message,
  { subscription_id, copies = 1, tamper, delay }: ResendInput,
): void {
  const how: How = {
    at: delay === undefined ? tx.now : laterBy(tx.now, delay),
    ...(copies > 1 || tamper ? { resend: { copies, ...(tamper ? { tamper } : {}) } } : {}),
  };
  const deliveries = tx.deliveries.where("message", message.id);
  if (subscription_id !== undefined) {
    resendTo(tx, message, subscription_id, how);
    return;
  }
  for (const delivery of deliveries) if (takes(tx, delivery.subscription_id)) renew(tx, delivery, how);
  // It was for somebody, though all of them may be disabled by now.
  if (deliveries.length > 0) return;
  for (const subscription of [...tx.subscriptions.walk("created")]) {
    const hasKind = (subscription.event_types as readonly string[]).includes(message.kind);
    if (subscription.state === "ENABLED" && hasKind) addDelivery(tx, message, subscription, how);
  }
}

/** To one subscription, also when the message was not for it. */
function resendTo(tx: Transaction, message: Message, id: string, how: How): void {
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
export function takes(tx: Transaction, subscriptionId: string): boolean {
  return tx.subscriptions.get(subscriptionId)?.state === "ENABLED";
}

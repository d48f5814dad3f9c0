// Prepares the signed request of one attempt. Heading "Delivery headers"; assumption: webhook-timestamp.
import type { Delivery } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { InjectedFault } from "./delivery-faults.ts";
import { findTampering, forgeMessage, replaceSecret } from "./forged.ts";
import type { DeliveryRequest } from "./http-delivery.ts";
import { computeTimestamp, signMessage } from "./sign.ts";
import { setTimestamp, tamperBody, tamperSignedContent } from "./tamper.ts";

/** Returns the signed request; undefined if the delivery no longer has a message or an ENABLED subscription. */
export function prepareRequest(
  tx: Transaction,
  delivery: Delivery,
  wall: number,
  injected?: InjectedFault,
): DeliveryRequest | undefined {
  const message = tx.messages.get(delivery.message_id);
  const subscription = tx.subscriptions.get(delivery.subscription_id);
  if (!message || subscription?.state !== "ENABLED") return undefined;
  const effect = injected?.effect;
  // A fault may replace the id and the body of the message.
  const { id, body: signedBody } = forgeMessage(message, effect);
  const tamper = delivery.resend?.tamper ?? findTampering(effect);
  const timestamp = setTimestamp(computeTimestamp(tx, wall), tamper);
  const body = tamperBody(signedBody, tamper);
  const signed = tamperSignedContent({ id, timestamp, body: signedBody }, tamper);
  const headers = {
    "content-type": "application/json",
    // The length is that of the sent body, which may be altered after signing.
    "content-length": String(Buffer.byteLength(body)),
    "user-agent": "experience-sandbox",
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    ...(effect === "missing_header"
      ? {}
      : { "webhook-signature": signMessage(tx, replaceSecret(subscription, effect), signed) }),
  };
  return { delivery, message, url: subscription.url, headers, body, ...(injected ? { injected } : {}) };
}

// The signed request of one attempt. Heading "Delivery headers"; assumption: webhook-timestamp.
import type { Delivery } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { Injected } from "./delivery-faults.ts";
import { forgeMessage, tamperOf, withForgedSecret } from "./forged.ts";
import type { DeliveryRequest } from "./http-delivery.ts";
import { readTimestamp, signMessage } from "./sign.ts";
import { setTimestamp, tamperBody, tamperSignedContent } from "./tamper.ts";

/** The signed request; undefined when the delivery no longer has a message or an ENABLED subscription. */
export function prepareRequest(
  tx: Transaction,
  delivery: Delivery,
  wall: number,
  injected?: Injected,
): DeliveryRequest | undefined {
  const message = tx.messages.get(delivery.message_id);
  const subscription = tx.subscriptions.get(delivery.subscription_id);
  if (!message || subscription?.state !== "ENABLED") return undefined;
  const doing = injected?.doing;
  // A fault may send another id or body than the message has.
  const { id, body: signedBody } = forgeMessage(message, doing);
  const tamper = delivery.resend?.tamper ?? tamperOf(doing);
  const timestamp = setTimestamp(readTimestamp(tx, wall), tamper);
  const body = tamperBody(signedBody, tamper);
  const signed = tamperSignedContent({ id, timestamp, body: signedBody }, tamper);
  const headers = {
    "content-type": "application/json",
    // Of the body that is sent, which may be altered after it was signed.
    "content-length": String(Buffer.byteLength(body)),
    "user-agent": "experience-sandbox",
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    ...(doing === "missing_header"
      ? {}
      : { "webhook-signature": signMessage(tx, withForgedSecret(subscription, doing), signed) }),
  };
  return { delivery, message, url: subscription.url, headers, body, ...(injected ? { injected } : {}) };
}

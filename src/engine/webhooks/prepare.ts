// The signed request of one attempt. Heading "Delivery headers"; assumption: webhook-timestamp.
import type { Delivery } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { Injected } from "./delivery-faults.ts";
import { messageSent, signedBy, tamperOf } from "./forged.ts";
import type { DeliveryRequest } from "./http-delivery.ts";
import { signatureOf, timestampNow } from "./sign.ts";
import { sentBody, sentTimestamp, whatIsSigned } from "./tamper.ts";

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
  const { id, body: signedBody } = messageSent(message, doing);
  const tamper = delivery.resend?.tamper ?? tamperOf(doing);
  const timestamp = sentTimestamp(timestampNow(tx, wall), tamper);
  const body = sentBody(signedBody, tamper);
  const signed = whatIsSigned({ id, timestamp, body: signedBody }, tamper);
  const headers = {
    "content-type": "application/json",
    // Of the body that is sent, which may be altered after it was signed.
    "content-length": String(Buffer.byteLength(body)),
    "user-agent": "experience-sandbox",
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    ...(doing === "missing_header"
      ? {}
      : { "webhook-signature": signatureOf(tx, signedBy(subscription, doing), signed) }),
  };
  return { delivery, message, url: subscription.url, headers, body, ...(injected ? { injected } : {}) };
}

// Prepares the signed request of one attempt. A fault may replace the message by a forgery, which breaks one thing only. Heading
// "Delivery headers"; assumption: webhook-timestamp.
import { UNKNOWN_MEMBER, UNKNOWN_NAME } from "../../platform/unknown-member.ts";
import type { Delivery, Subscription, Tamper } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { DeliveryEffect, InjectedFault } from "./delivery-faults.ts";
import type { DeliveryRequest } from "./http-delivery.ts";
import { computeTimestamp, setTimestamp, signMessage, tamperBody, tamperSignedContent } from "./sign.ts";

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

/** Returns the alteration of a resend that has the same effect as the fault. */
export function findTampering(effect: DeliveryEffect | undefined): Tamper | undefined {
  if (effect === "altered") return "body";
  return effect === "stale_timestamp" ? "timestamp" : undefined;
}

/** The secret has the correct form, but no subscription uses it. */
const UNKNOWN_SECRET = `whsec_${Buffer.from("a secret that no subscription uses").toString("base64")}`;

function replaceSecret(subscription: Subscription, effect: DeliveryEffect | undefined): Subscription {
  if (effect !== "wrong_secret") return subscription;
  const { previous_secret: _, ...rest } = subscription;
  return { ...rest, secret: UNKNOWN_SECRET };
}

/** Returns the message to sign and send. */
function forgeMessage({ id, body }: { id: string; body: string }, effect: DeliveryEffect | undefined) {
  if (effect === "unknown_members") return { id, body: JSON.stringify(addUnknownFields(JSON.parse(body))) };
  if (effect === "rewritten") return { id, body: rewriteJson(JSON.parse(body)) };
  if (effect !== "unknown_kind") return { id, body };
  const message = JSON.parse(body) as { id: string; type: string };
  const unknown = { ...message, id: toOtherUuid(message.id), type: message.type.replace(/[^.]*$/, UNKNOWN_NAME) };
  return { id: `${id}0`, body: JSON.stringify(unknown) };
}

/** Returns another UUID of the same version and variant. */
const toOtherUuid = (uuid: string): string =>
  uuid.replace(/.$/, (digit) => ((Number.parseInt(digit, 16) + 1) % 16).toString(16));

/** Writes the same value as different JSON: with spaces, the fields in reverse order, and unnecessary escapes. */
const rewriteJson = (value: unknown): string =>
  JSON.stringify(reverseFields(value), null, 1).replace(/"(?:[^"\\]|\\.)*"/g, (text) =>
    text.replace(/[.-]|[^ -~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );

const reverseFields = (value: unknown): unknown => mapObjects(value, (object) => Object.entries(object).reverse());

const addUnknownFields = (value: unknown): unknown =>
  mapObjects(value, (object) => Object.entries({ ...object, ...UNKNOWN_MEMBER }));

/** Replaces the fields of every object within the value, the innermost first. */
function mapObjects(value: unknown, listFields: (object: object) => [name: string, value: unknown][]): unknown {
  if (Array.isArray(value)) return value.map((each) => mapObjects(each, listFields));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => [name, mapObjects(field, listFields)]);
  return Object.fromEntries(listFields(Object.fromEntries(fields)));
}

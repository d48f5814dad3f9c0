// One attempt: prepares the request, and records the result. Heading "Delivery headers"; assumptions:
// webhook-timestamp, delivery-success, delivery-retry, message-retention.

import type { Attempt, Delivery, Message, Subscription } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { endAllOf, settle } from "./deliveries.ts";
import type { DeliveryRequest, DeliveryResult } from "./http-delivery.ts";
import { nextTry, readRetryAfter, type Speed } from "./retry.ts";
import { signatureOf, timestampNow } from "./sign.ts";
import { sentBody, sentTimestamp, whatIsSigned } from "./tamper.ts";

const STORED_ATTEMPTS = 50;

/** The signed request; undefined when the delivery no longer has a message or an ENABLED subscription. */
export function prepareRequest(tx: Transaction, delivery: Delivery, wall: number): DeliveryRequest | undefined {
  const message = tx.messages.get(delivery.message_id);
  const subscription = tx.subscriptions.get(delivery.subscription_id);
  if (!message || subscription?.state !== "ENABLED") return undefined;
  const { id } = message;
  const tamper = delivery.resend?.tamper;
  const timestamp = sentTimestamp(timestampNow(tx, wall), tamper);
  const body = sentBody(message.body, tamper);
  const signed = whatIsSigned({ id, timestamp, body: message.body }, tamper);
  const headers = {
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    "user-agent": "experience-sandbox",
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatureOf(tx, subscription, signed),
  };
  return { delivery, url: subscription.url, headers, body };
}

export interface EndedAttempt {
  request: DeliveryRequest;
  result: DeliveryResult;
  at: string;
  duration_ms: number;
  wall: number;
  speed: Speed;
}

/** Records an attempt and updates its delivery; undefined when the delivery was removed meanwhile. */
export function recordAttempt(
  tx: Transaction,
  ended: EndedAttempt,
): { delivery: Delivery; message: Message } | undefined {
  const known = tx.deliveries.get(ended.request.delivery.id);
  const message = known && tx.messages.get(known.message_id);
  if (!known || !message) return undefined;
  const attempt = attemptOf(tx, ended);
  const { resend, ...rest } = known;
  const tried: Delivery = {
    ...rest,
    url: ended.request.url,
    tries: known.tries + 1,
    attempts: [...known.attempts, attempt].slice(-STORED_ATTEMPTS),
  };
  const sent = ended.request.delivery.resend ? 1 : 0;
  const next = resend && nextCopy(tx, tried, { ...resend, copies: resend.copies - sent }, attempt);
  return { delivery: next ? put(tx, next) : afterAttempt(tx, tried, attempt, ended), message };
}

/**
 * Copies follow one another at once, whatever the receiver answers, unless it can't be reached at all or wants no more. An attempt that was in
 * flight when the message was sent again is none of them.
 */
function nextCopy(
  { now }: Transaction,
  { tries, ...tried }: Delivery,
  left: NonNullable<Delivery["resend"]>,
  { outcome, answer }: Attempt,
): Delivery | undefined {
  if (left.copies === 0 || tried.state !== "PENDING" || outcome === "BLOCKED" || answer?.status === 410)
    return undefined;
  return { ...tried, tries: tries - 1, next_attempt_at: now, resend: left };
}

function attemptOf(tx: Transaction, { request, result, at, duration_ms }: EndedAttempt): Attempt {
  const { outcome, answer, error } = result;
  const tamper = request.delivery.resend?.tamper;
  const accepted =
    answer &&
    (tx.assumes("delivery-success") === "200" ? answer.status === 200 : answer.status >= 200 && answer.status < 300);
  return {
    at,
    duration_ms,
    outcome: outcome === "ANSWERED" ? (accepted ? "ACCEPTED" : "REFUSED") : (outcome as Attempt["outcome"]),
    request: { headers: request.headers },
    answer,
    ...(error === undefined ? {} : { error }),
    ...(tamper ? { tamper } : {}),
  };
}

function afterAttempt(
  tx: Transaction,
  delivery: Delivery,
  { outcome, answer }: Attempt,
  { wall, speed }: EndedAttempt,
): Delivery {
  if (outcome === "ACCEPTED") return settle(tx, delivery, "DELIVERED");
  const subscription = tx.subscriptions.get(delivery.subscription_id);
  if (outcome === "REFUSED" && answer?.status === 410 && subscription) return disable(tx, delivery, subscription);
  if (delivery.state !== "PENDING") return put(tx, delivery);
  const next =
    outcome === "BLOCKED"
      ? undefined
      : nextTry(delivery.tries, tx.now, speed, readRetryAfter(answer?.headers["retry-after"], wall));
  return next === undefined ? settle(tx, delivery, "GIVEN_UP") : put(tx, { ...delivery, next_attempt_at: next });
}

/** 410 Gone: the receiver wants no more messages. */
function disable(tx: Transaction, delivery: Delivery, subscription: Subscription): Delivery {
  const given = delivery.state === "PENDING" ? settle(tx, delivery, "GIVEN_UP") : put(tx, delivery);
  if (subscription.state === "DISABLED") return given;
  endAllOf(tx, subscription.id, "GIVEN_UP");
  tx.subscriptions.put({ ...subscription, state: "DISABLED", updated_at: tx.now });
  tx.emit("webhook_subscription.updated", subscription.id);
  return given;
}

function put(tx: Transaction, delivery: Delivery): Delivery {
  tx.deliveries.put(delivery);
  return delivery;
}

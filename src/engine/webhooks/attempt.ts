// The result of one attempt is recorded. Heading "Delivery headers"; assumptions: delivery-success, delivery-retry, message-retention.

import type { Attempt, Delivery, Message, Subscription } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { endAllOf, settle } from "./deliveries.ts";
import type { Injected } from "./delivery-faults.ts";
import { tamperOf } from "./forged.ts";
import type { DeliveryRequest, DeliveryResult } from "./http-delivery.ts";
import { findNextTry, readRetryAfter, type Speed } from "./retry.ts";

/** Of one delivery, the latest (assumption: message-retention). */
const MAX_STORED_ATTEMPTS = 50;

/** `at`: on the world's clock, when it was sent; `wall`: real milliseconds, when it ended. */
interface FinishedAttempt {
  request: DeliveryRequest;
  result: DeliveryResult;
  at: string;
  duration_ms: number;
  wall: number;
  speed: Speed;
}

interface UpdatedDelivery {
  delivery: Delivery;
  message: Message;
}

/** Records an attempt and updates its delivery; undefined when the delivery was removed meanwhile. */
export function recordAttempt(tx: Transaction, ended: FinishedAttempt): UpdatedDelivery | undefined {
  const known = tx.deliveries.get(ended.request.delivery.id);
  const message = known && tx.messages.get(known.message_id);
  if (!known || !message) return undefined;
  const attempt = createAttempt(tx, ended);
  const { resend, ...rest } = known;
  const tried: Delivery = {
    ...rest,
    url: ended.request.url,
    // The schedule counts tries; the list of attempts may have lost its oldest.
    tries: known.tries + 1,
    attempts: [...known.attempts, attempt].slice(-MAX_STORED_ATTEMPTS),
  };
  // A fault spoilt this one, so the true message is still owed.
  if (ended.request.injected?.again) return { delivery: put(tx, uncountAttempt(tx, tried)), message };
  // An attempt that was in flight before the resend is no copy of it.
  const sent = ended.request.delivery.resend ? 1 : 0;
  const next = resend && prepareNextCopy(tx, tried, { ...resend, copies: resend.copies - sent }, attempt);
  return { delivery: next ? put(tx, next) : scheduleNext(tx, tried, attempt, ended), message };
}

/** What was sent was not the message, or not all of it: it is due as if nothing had been sent. */
function uncountAttempt({ now }: Transaction, delivery: Delivery): Delivery {
  return delivery.state === "PENDING" ? { ...delivery, tries: delivery.tries - 1, next_attempt_at: now } : delivery;
}

/** A delivery that a fault drops: an attempt that was not made. */
export function recordDropped(tx: Transaction, id: string, injected: Injected): UpdatedDelivery | undefined {
  const known = tx.deliveries.get(id);
  const message = known && tx.messages.get(known.message_id);
  if (!known || !message) return undefined;
  const attempt: Attempt = {
    ...{ at: tx.now, duration_ms: 0, outcome: "DROPPED", request: { headers: {} }, answer: null },
    ...{ error: "A fault dropped it.", fault: toFaultHit(injected) },
  };
  const tried = { ...known, attempts: [...known.attempts, attempt].slice(-MAX_STORED_ATTEMPTS) };
  return { delivery: settle(tx, tried, "DROPPED"), message };
}

/**
 * Copies follow one another at once, whatever the receiver answers, unless it can't be reached at all or wants no more. An attempt that was in
 * flight when the message was sent again is none of them.
 */
function prepareNextCopy(
  { now }: Transaction,
  { tries, ...tried }: Delivery,
  left: NonNullable<Delivery["resend"]>,
  { outcome, answer }: Attempt,
): Delivery | undefined {
  if (left.copies === 0 || tried.state !== "PENDING" || outcome === "BLOCKED" || answer?.status === 410)
    return undefined;
  return { ...tried, tries: tries - 1, next_attempt_at: now, resend: left };
}

function createAttempt(tx: Transaction, { request, result, at, duration_ms }: FinishedAttempt): Attempt {
  const { outcome, answer, error, relayed } = result;
  const { injected } = request;
  const tamper = request.delivery.resend?.tamper ?? tamperOf(injected?.doing);
  // Whether 2xx or only 200 will do is an assumption (delivery-success).
  const accepted =
    answer &&
    (tx.assumes("delivery-success") === "200" ? answer.status === 200 : answer.status >= 200 && answer.status < 300);
  return {
    at,
    duration_ms,
    outcome: outcome === "ANSWERED" ? (accepted ? "ACCEPTED" : "REFUSED") : (outcome as Attempt["outcome"]),
    request: { headers: request.headers, ...(injected ? { body: request.body } : {}) },
    answer,
    ...(error === undefined ? {} : { error }),
    ...(relayed ? { relayed } : {}),
    ...(tamper ? { tamper } : {}),
    ...(injected ? { fault: toFaultHit(injected) } : {}),
  };
}

const toFaultHit = ({ fault, did }: Injected) => ({ name: fault.name, did });

function scheduleNext(
  tx: Transaction,
  delivery: Delivery,
  { outcome, answer }: Attempt,
  { wall, speed }: FinishedAttempt,
): Delivery {
  // Also where it was given up meanwhile: the receiver has it.
  if (outcome === "ACCEPTED") return settle(tx, delivery, "DELIVERED");
  const subscription = tx.subscriptions.get(delivery.subscription_id);
  if (outcome === "REFUSED" && answer?.status === 410 && subscription) return disable(tx, delivery, subscription);
  // Given up or dropped while it was in flight: no retry.
  if (delivery.state !== "PENDING") return put(tx, delivery);
  const next =
    // An address that may not be sent to will not be allowed later either.
    outcome === "BLOCKED"
      ? undefined
      : findNextTry(delivery.tries, tx.now, speed, readRetryAfter(answer?.headers["retry-after"], wall));
  return next === undefined ? settle(tx, delivery, "GIVEN_UP") : put(tx, { ...delivery, next_attempt_at: next });
}

/** 410 Gone: the receiver wants no more messages. */
function disable(tx: Transaction, delivery: Delivery, subscription: Subscription): Delivery {
  const given = delivery.state === "PENDING" ? settle(tx, delivery, "GIVEN_UP") : put(tx, delivery);
  if (subscription.state === "DISABLED") return given;
  // The other messages for it are not wanted either.
  endAllOf(tx, subscription.id, "GIVEN_UP");
  tx.subscriptions.put({ ...subscription, state: "DISABLED", updated_at: tx.now });
  tx.emit("webhook_subscription.updated", subscription.id);
  return given;
}

function put(tx: Transaction, delivery: Delivery): Delivery {
  tx.deliveries.put(delivery);
  return delivery;
}

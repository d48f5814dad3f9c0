// Records the result of an attempt and decides what happens to the delivery next. Heading "Delivery headers"; assumptions:
// delivery-success, delivery-retry, message-retention.

import { fromMillis, type Instant, toMillis } from "../domain/kernel/instant.ts";
import type { Attempt, Delivery, Message, Subscription } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { endDeliveries, endDelivery } from "./deliveries.ts";
import type { InjectedFault } from "./delivery-faults.ts";
import type { DeliveryRequest, DeliveryResult } from "./http-delivery.ts";
import { findTampering } from "./prepare.ts";

/** A delivery keeps only its latest attempts (assumption: message-retention). */
const MAX_STORED_ATTEMPTS = 50;

export type RetrySpeed = "standard" | "fast";

/** `at` is when the request was sent, on the world's clock. `wall` is when it ended, in real milliseconds since the epoch. */
interface FinishedAttempt {
  request: DeliveryRequest;
  result: DeliveryResult;
  at: string;
  duration_ms: number;
  wall: number;
  speed: RetrySpeed;
}

interface UpdatedDelivery {
  delivery: Delivery;
  message: Message;
}

/** Records an attempt and updates its delivery. Returns undefined if the delivery was deleted while the attempt was in flight. */
export function recordAttempt(tx: Transaction, finished: FinishedAttempt): UpdatedDelivery | undefined {
  const stored = tx.deliveries.get(finished.request.delivery.id);
  const message = stored && tx.messages.get(stored.message_id);
  if (!stored || !message) return undefined;
  const attempt = createAttempt(tx, finished);
  const { resend, ...rest } = stored;
  const attempted: Delivery = {
    ...rest,
    url: finished.request.url,
    // The retry schedule uses this counter, because the list of attempts may no longer contain the oldest.
    tries: stored.tries + 1,
    attempts: [...stored.attempts, attempt].slice(-MAX_STORED_ATTEMPTS),
  };
  // A fault replaced the real message, which still has to be sent.
  if (finished.request.injected?.resendsMessage)
    return { delivery: save(tx, undoAttemptCount(tx, attempted)), message };
  // An attempt that was in flight before the resend does not count as one of its copies.
  const sentCopies = finished.request.delivery.resend ? 1 : 0;
  const next = resend && scheduleNextCopy(tx, attempted, { ...resend, copies: resend.copies - sentCopies }, attempt);
  return { delivery: next ? save(tx, next) : scheduleNext(tx, attempted, attempt, finished), message };
}

/** Makes the delivery due immediately, as if the attempt had not happened. */
function undoAttemptCount({ now }: Transaction, delivery: Delivery): Delivery {
  return delivery.state === "PENDING" ? { ...delivery, tries: delivery.tries - 1, next_attempt_at: now } : delivery;
}

/** Records that a fault dropped the delivery, so no request was sent. */
export function recordDropped(tx: Transaction, id: string, injected: InjectedFault): UpdatedDelivery | undefined {
  const stored = tx.deliveries.get(id);
  const message = stored && tx.messages.get(stored.message_id);
  if (!stored || !message) return undefined;
  const attempt: Attempt = {
    at: tx.now,
    duration_ms: 0,
    outcome: "DROPPED",
    request: { headers: {} },
    answer: null,
    error: "A fault dropped this delivery.",
    fault: toFaultHit(injected),
  };
  const attempted = { ...stored, attempts: [...stored.attempts, attempt].slice(-MAX_STORED_ATTEMPTS) };
  return { delivery: endDelivery(tx, attempted, "DROPPED"), message };
}

/** Makes the next copy due immediately, regardless of the response. A blocked address or a 410 response ends the copies. */
function scheduleNextCopy(
  { now }: Transaction,
  { tries, ...attempted }: Delivery,
  resend: NonNullable<Delivery["resend"]>,
  { outcome, answer }: Attempt,
): Delivery | undefined {
  if (resend.copies === 0 || attempted.state !== "PENDING" || outcome === "BLOCKED" || answer?.status === 410)
    return undefined;
  return { ...attempted, tries: tries - 1, next_attempt_at: now, resend };
}

function createAttempt(tx: Transaction, { request, result, at, duration_ms }: FinishedAttempt): Attempt {
  const { outcome, answer, error, relayed } = result;
  const { injected } = request;
  const tamper = request.delivery.resend?.tamper ?? findTampering(injected?.effect);
  // Whether any 2xx or only 200 is a success is an assumption (delivery-success).
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

const toFaultHit = ({ fault, did }: InjectedFault) => ({ name: fault.name, did });

function scheduleNext(
  tx: Transaction,
  delivery: Delivery,
  { outcome, answer }: Attempt,
  { wall, speed }: FinishedAttempt,
): Delivery {
  // The receiver has the message, even if the delivery was given up while the request was in flight.
  if (outcome === "ACCEPTED") return endDelivery(tx, delivery, "DELIVERED");
  const subscription = tx.subscriptions.get(delivery.subscription_id);
  if (outcome === "REFUSED" && answer?.status === 410 && subscription)
    return disableSubscription(tx, delivery, subscription);
  // The delivery ended while the request was in flight, so there is no retry.
  if (delivery.state !== "PENDING") return save(tx, delivery);
  // A blocked address stays blocked, so a retry would fail too.
  if (outcome === "BLOCKED") return endDelivery(tx, delivery, "GIVEN_UP");
  const retryAfter = parseRetryAfter(answer?.headers["retry-after"], wall);
  const next = findNextAttempt(delivery.tries, tx.now, speed, retryAfter);
  if (next === undefined) return endDelivery(tx, delivery, "GIVEN_UP");
  return save(tx, { ...delivery, next_attempt_at: next });
}

/** Disables the subscription, because 410 Gone means that the receiver wants no more messages. */
function disableSubscription(tx: Transaction, delivery: Delivery, subscription: Subscription): Delivery {
  const updated = delivery.state === "PENDING" ? endDelivery(tx, delivery, "GIVEN_UP") : save(tx, delivery);
  if (subscription.state === "DISABLED") return updated;
  endDeliveries(tx, subscription.id, "GIVEN_UP");
  tx.subscriptions.put({ ...subscription, state: "DISABLED", updated_at: tx.now });
  tx.emit("webhook_subscription.updated", subscription.id);
  return updated;
}

function save(tx: Transaction, delivery: Delivery): Delivery {
  tx.deliveries.put(delivery);
  return delivery;
}

// The retry schedule. Each delay starts at the end of the previous attempt, on the world's clock. After the last attempt the delivery is
// given up. `--retry fast` does not shorten a receiver's Retry-After. Assumption: delivery-retry.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DELAYS_MS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR];
const MAX_WAIT_MS = 365 * 24 * HOUR;

/** Returns when to retry after this number of failed attempts; undefined if the delivery must be given up. */
function findNextAttempt(tries: number, now: Instant, speed: RetrySpeed, retryAfter = 0): Instant | undefined {
  const wait = DELAYS_MS[tries - 1];
  if (wait === undefined) return undefined;
  return fromMillis(toMillis(now) + Math.max(speed === "fast" ? wait / 100 : wait, retryAfter));
}

/** Parses a Retry-After header into milliseconds; an HTTP date is relative to the wall clock. Returns undefined for an invalid value. */
function parseRetryAfter(text: string | undefined, wall: number): number | undefined {
  if (text === undefined) return undefined;
  const value = text.trim();
  const wait = /^\d+$/.test(value)
    ? Number(value) * SECOND
    : /^[A-Za-z]+, .*GMT$/.test(value)
      ? Date.parse(value) - wall
      : Number.NaN;
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), MAX_WAIT_MS);
}

// One attempt: the request as it is sent, and what is written down of how it went. Heading "Delivery headers"; assumptions:
// webhook-timestamp, delivery-success, delivery-retry, message-retention.

import { toMillis } from "../domain/kernel/instant.ts";
import type { Attempt, Delivery, Message, Subscription } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { endAllOf, settle } from "./deliveries.ts";
import { nextTry, readRetryAfter, type Speed } from "./retry.ts";
import { signatureOf } from "./sign.ts";

export interface Call {
  delivery: Delivery;
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** How a call ended; ABORTED ones are not written down. */
export interface Reply {
  outcome: "ANSWERED" | "TIMED_OUT" | "UNREACHABLE" | "BLOCKED" | "ABORTED";
  answer: Attempt["answer"];
  error?: string;
}

const KEPT_ATTEMPTS = 50;

/** The signed request; undefined when the delivery has no message or no ENABLED subscription any more. */
export function prepare(tx: Transaction, delivery: Delivery, wall: number): Call | undefined {
  const message = tx.messages.get(delivery.message_id);
  const subscription = tx.subscriptions.get(delivery.subscription_id);
  if (!message || subscription?.state !== "ENABLED") return undefined;
  const { id, body } = message;
  const timestamp = Math.floor((tx.assumes("webhook-timestamp") === "world" ? toMillis(tx.now) : wall) / 1000);
  const headers = {
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    "user-agent": "experience-sandbox",
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatureOf(tx, subscription, { id, timestamp, body }),
  };
  return { delivery, url: subscription.url, headers, body };
}

export interface Ended {
  call: Call;
  reply: Reply;
  at: string;
  duration_ms: number;
  wall: number;
  speed: Speed;
}

/** Writes an attempt down and moves its delivery on; undefined when the delivery is gone meanwhile. */
export function record(tx: Transaction, ended: Ended): { delivery: Delivery; message: Message } | undefined {
  const known = tx.deliveries.get(ended.call.delivery.id);
  const message = known && tx.messages.get(known.message_id);
  if (!known || !message) return undefined;
  const attempt = attemptOf(tx, ended);
  const tried: Delivery = {
    ...known,
    url: ended.call.url,
    tries: known.tries + 1,
    attempts: [...known.attempts, attempt].slice(-KEPT_ATTEMPTS),
  };
  return { delivery: moveOn(tx, tried, attempt, ended), message };
}

function attemptOf(tx: Transaction, { call, reply, at, duration_ms }: Ended): Attempt {
  const { outcome, answer, error } = reply;
  const accepted =
    answer &&
    (tx.assumes("delivery-success") === "200" ? answer.status === 200 : answer.status >= 200 && answer.status < 300);
  const told = outcome === "ANSWERED" ? (accepted ? "ACCEPTED" : "REFUSED") : (outcome as Attempt["outcome"]);
  return {
    at,
    duration_ms,
    outcome: told,
    request: { headers: call.headers },
    answer,
    ...(error === undefined ? {} : { error }),
  };
}

function moveOn(tx: Transaction, delivery: Delivery, { outcome, answer }: Attempt, { wall, speed }: Ended): Delivery {
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

/** 410 Gone: the receiver wants no more. */
function disable(tx: Transaction, delivery: Delivery, subscription: Subscription): Delivery {
  const given = delivery.state === "PENDING" ? settle(tx, delivery, "GIVEN_UP") : put(tx, delivery);
  if (subscription.state === "DISABLED") return given;
  endAllOf(tx, subscription.id, "GIVEN_UP");
  tx.subscriptions.put({ ...subscription, state: "DISABLED", updated_at: tx.now });
  tx.tell("webhook_subscription.updated", subscription.id);
  return given;
}

function put(tx: Transaction, delivery: Delivery): Delivery {
  tx.deliveries.put(delivery);
  return delivery;
}

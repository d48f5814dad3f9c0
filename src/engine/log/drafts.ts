// The entries that no request makes: moves of the clock, attempts of deliveries, and changes of the world.
import type { Delivery, Message } from "../domain/kernel/records.ts";
import { type Cause, causeOf } from "../world/state/commit.ts";
import { encodeRedacted } from "./redact.ts";
import type { ClockMoved, EntryHead, WorldChange } from "./view.ts";

/** What an entry is added with: its head, its details as JSON, and a body as JSON. */
type EntryParts = readonly [head: EntryHead, details: string, body?: string];

/** A move of the clock. A tick of a running clock has no cause. */
export function draftMove({ id, world, from, to, mode, by, receipt, duration_ms }: ClockMoved): EntryParts {
  const facts = receipt.flatMap((line) => line.facts);
  const caused_by = by === "tick" ? undefined : by.id;
  const head: EntryHead = { kind: "clock", id, world, at: to, failed: false, caused_by, facts };
  return [head, JSON.stringify({ from, to, mode, by, receipt, duration_ms })];
}

/** `isHeld`: whether the clock of the world is; `armed`: the fault that hit the attempt. */
interface AttemptContext {
  isHeld: boolean;
  armed: object | undefined;
}

/** The last attempt of a delivery. */
export function draftAttempt(
  world: string,
  delivery: Delivery,
  message: Message,
  { isHeld, armed }: AttemptContext,
): EntryParts {
  const { id, message_id, subscription_id, url, state, next_attempt_at, attempts } = delivery;
  // Before its first attempt its time is that of the message.
  const { at = message.created_at, outcome, answer = null, error = null, duration_ms, fault } = attempts.at(-1) ?? {};
  const awaitsClock = isHeld && next_attempt_at !== undefined && next_attempt_at > at;
  const caused_by = causeOf(message);
  const head: EntryHead = { kind: "delivery", id, world, at, failed: outcome !== "ACCEPTED", caused_by, facts: [] };
  const details = {
    ...{ message_id, delivery_id: id, subscription_id, url, webhook_kind: message.kind, state, next_attempt_at },
    awaits_clock: awaitsClock || undefined,
    attempt: { at, number: attempts.length, outcome, status: answer?.status ?? null, error, duration_ms },
    cause: findCause(caused_by),
    faults: fault ? [{ ...fault, fault: armed }] : [],
  };
  return [head, encodeRedacted(details), message.body];
}

/** `change`: a word for what happened; `detail` is shown and searched. */
export function draftWorldChange({ id, world, at, change, detail }: WorldChange): EntryParts {
  return [{ kind: "world", id, world, at, failed: false, facts: [] }, encodeRedacted({ change, detail })];
}

const KINDS: Readonly<Record<string, Cause["kind"]>> = { req: "request", act: "act", clk: "clock", dlv: "delivery" };

/** The cause with this id, which begins with its kind. */
function findCause(id: string): Cause {
  return { kind: KINDS[/^(req|act|clk)(?=-)|^dlv(?=_)/.exec(id)?.[0] ?? ""] ?? "world", id };
}

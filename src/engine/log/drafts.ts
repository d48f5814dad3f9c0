// Builds the log entries that do not come from a request: moves of the clock, attempts of deliveries, and changes of the world.
import type { Delivery, Message } from "../domain/kernel/records.ts";
import { type Cause, getCause } from "../world/state/commit.ts";
import { encodeRedacted } from "./redact.ts";
import type { ClockMoved, EntryHead, WorldChange } from "./view.ts";

/** The arguments that add an entry. `details` and `body` are JSON. */
type EntryParts = readonly [head: EntryHead, details: string, body?: string];

/** A move of the clock. A tick of a running clock has no cause. */
export function draftMove({ id, world, from, to, mode, by, receipt, duration_ms }: ClockMoved): EntryParts {
  const facts = receipt.flatMap((line) => line.facts);
  const caused_by = by === "tick" ? undefined : by.id;
  const head: EntryHead = { kind: "clock", id, world, at: to, failed: false, caused_by, facts };
  return [head, JSON.stringify({ from, to, mode, by, receipt, duration_ms })];
}

/** Drafts the last attempt of a delivery. `isHeld`: whether the clock of the world is held; `armed`: the fault that hit the attempt. */
export function draftAttempt(
  world: string,
  delivery: Delivery,
  message: Message,
  { isHeld, armed }: { isHeld: boolean; armed: object | undefined },
): EntryParts {
  const { id, message_id, subscription_id, url, state, next_attempt_at, attempts } = delivery;
  // A delivery without attempts has the time of its message.
  const { at = message.created_at, outcome, answer = null, error = null, duration_ms, fault } = attempts.at(-1) ?? {};
  const awaitsClock = isHeld && next_attempt_at !== undefined && next_attempt_at > at;
  const caused_by = getCause(message);
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

/** `change` names what happened; `detail` is shown and searched. */
export function draftWorldChange({ id, world, at, change, detail }: WorldChange): EntryParts {
  return [{ kind: "world", id, world, at, failed: false, facts: [] }, encodeRedacted({ change, detail })];
}

const KINDS: Readonly<Record<string, Cause["kind"]>> = { req: "request", act: "act", clk: "clock", dlv: "delivery" };

/** Reads the kind of a cause from its id. */
function findCause(id: string): Cause {
  return { kind: KINDS[/^(req|act|clk)(?=-)|^dlv(?=_)/.exec(id)?.[0] ?? ""] ?? "world", id };
}

// The entries of the log that no request makes: moves of the clock, attempts of deliveries, changes of the world, and facts as they are
// committed. Requests and acts are made by the transport, which has their texts.
import { countMove, type Fact, type ReceiptLine } from "../domain/kernel/facts.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import type { Delivery, Message } from "../domain/kernel/records.ts";
import { type Cause, causeOf } from "../world/state/commit.ts";
import type { Fault } from "./faults.ts";
import { type LogDraft, type LogView, MOST_LISTED } from "./log-types.ts";

/** What an entry takes in memory, roughly, before its texts. */
const LEAST_BYTES = 300;
/** Of a line of a receipt, with two facts. */
const LINE_BYTES = 200;

export interface ClockMoved {
  id: string;
  world: string;
  from: Instant;
  to: Instant;
  mode: "held" | "running";
  by: Cause | "tick";
  receipt: readonly ReceiptLine[];
  duration_ms: number;
}

/** A move of the clock. A tick of a running clock has no cause, and no listener hears of one. */
export function clockEntry({ id, world, from, to, mode, by, receipt, duration_ms }: ClockMoved): LogDraft {
  const facts = receipt.flatMap((line) => line.facts);
  return {
    ...{ kind: "clock", id, world, at: to, facts, failed: false },
    ...(by === "tick" ? {} : { caused_by: by.id }),
    bytes: LEAST_BYTES + LINE_BYTES * receipt.length,
    touches: (record) => receipt.some((line) => line.id === record || line.facts.some((fact) => fact.id === record)),
    says: (text) => receipt.some((line) => line.what.toLowerCase().includes(text) || line.id.includes(text)),
    show: (view: LogView, messages) => ({
      ...{ from, to, mode, by, counts: countMove(receipt), duration_ms },
      // A move over months causes thousands.
      messages: view === "full" ? messages : messages.slice(0, MOST_LISTED),
      message_count: messages.length,
      ...(view === "full" ? { receipt } : {}),
    }),
  };
}

/** `isHeld`: whether the clock of the world is; `armed`: the fault that hit the attempt. */
interface AttemptContext {
  isHeld: boolean;
  armed: Fault | undefined;
}

/** The last attempt of a delivery. */
export function deliveryEntry(
  world: string,
  delivery: Delivery,
  message: Message,
  { isHeld, armed }: AttemptContext,
): LogDraft {
  const { id, message_id, subscription_id, url, state, next_attempt_at, attempts } = delivery;
  // Before its first attempt it stands at its making.
  const { at = message.created_at, outcome, answer = null, error = null, duration_ms, fault } = attempts.at(-1) ?? {};
  const number = attempts.length;
  const members = (view: LogView) => ({
    ...{ message_id, delivery_id: id, subscription_id, url, webhook_kind: message.kind, state },
    ...(next_attempt_at === undefined ? {} : { next_attempt_at }),
    ...(isHeld && next_attempt_at !== undefined && next_attempt_at > at ? { awaits_clock: true } : {}),
    attempt: { at, number, outcome, status: answer?.status ?? null, error, duration_ms },
    cause: causeCalled(causeOf(message)),
    faults: fault ? [view === "full" && armed ? { ...fault, fault: armed } : fault] : [],
  });
  return {
    ...{ kind: "delivery", id, world, at, facts: [], bytes: LEAST_BYTES + url.length },
    caused_by: causeOf(message),
    failed: outcome !== "ACCEPTED",
    // Ids in the body stand in quotes, so that no id is found within a longer one.
    touches: (record) => [id, message_id, subscription_id].includes(record) || message.body.includes(`"${record}"`),
    says: (text) => [url, message.kind, error ?? "", message.body].some((part) => part.toLowerCase().includes(text)),
    show: members,
  };
}

interface WorldChange {
  id: string;
  world: string;
  at: Instant;
  change: string;
  detail: Readonly<Record<string, unknown>>;
}

/** `change`: a word for what happened; `detail` is shown and searched as it is. */
export function worldEntry({ id, world, at, change, detail }: WorldChange): LogDraft {
  const text = JSON.stringify(detail);
  return {
    ...{ kind: "world", id, world, at, facts: [], failed: false, bytes: LEAST_BYTES + text.length },
    touches: (record) => text.includes(`"${record}"`),
    says: (words) => change.includes(words) || text.toLowerCase().includes(words),
    show: () => ({ change, detail }),
  };
}

interface FactsCommitted {
  seq: number;
  at: Instant;
  world: string;
  cause: Cause;
  facts: readonly Fact[];
}

/** The test is that of the cause, which is not in the log yet. */
export function factEntry({ seq, at, world, cause, facts }: FactsCommitted): LogDraft {
  return {
    ...{ kind: "fact", id: cause.id, world, at, seq, test: null, facts, failed: false, bytes: LEAST_BYTES },
    touches: (record) => facts.some(({ id }) => id === record),
    // The entry of its cause has the words.
    says: () => false,
    show: () => ({ cause }),
  };
}

const KINDS: Readonly<Record<string, Cause["kind"]>> = { req: "request", act: "act", clk: "clock", dlv: "delivery" };

/** The cause with this id, which begins with what it is. */
function causeCalled(id: string): Cause {
  return { kind: KINDS[/^(req|act|clk)(?=-)|^dlv(?=_)/.exec(id)?.[0] ?? ""] ?? "world", id };
}

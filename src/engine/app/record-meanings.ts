// What a schema can't say about a member of a record: the `means` of spec/world.yaml. Each row says whether a value is valid, and what is
// expected. Only values of the right type are checked.

import { isDeeperThan } from "../../platform/depth.ts";
import { whyNotTarget } from "../domain/company/subscription.ts";
import { durationMillis, isInstant, isLocal, readInstant, toMillis } from "../domain/kernel/instant.ts";
import { EVENT_KINDS } from "../domain/kernel/kinds.ts";
import type { Order, Posting, Price, Session } from "../domain/kernel/records.ts";
import { zoneNamed } from "../domain/kernel/zone.ts";
import { exponentOf, isCurrency } from "../domain/money/currency.ts";
import { whyNotAssume } from "./register.ts";

interface Meaning {
  // Each gets its own kind of value, which the schema beside it ensures.
  holds(value: never): boolean;
  wanted: string | ((value: never) => string);
}

/** What depends on the options of the sandbox. */
export interface MeaningContext {
  /** Whether a world can be reset to the fixture of this name. */
  hasFixture(name: string): boolean;
}

const meaning = <V>(holds: (value: V) => boolean, wanted: string | ((value: V) => string)): Meaning => ({
  holds,
  wanted,
});

/** What is sent is listed too, and nobody sends more levels than this. */
const DEEPEST = 64;
/** P1Y, a leap year included. */
const LONGEST_SESSION_MS = 366 * 86_400_000;
/** PT5M, as acts demand it. */
const SHORTEST_SLOT_MS = 5 * 60_000;
/** Beyond these, dates end. */
const LONGEST_DURATION_MS = 10_000 * 366 * 86_400_000;

/** By the name that stands after `means` in spec/world.yaml. */
export const meaningsFor = ({ hasFixture }: MeaningContext): Readonly<Record<string, Meaning>> => ({
  instant: meaning(isInstant, "an instant like 2030-06-01T09:00:00.000Z"),
  "local-time": meaning(isLocal, "a local date-time like 2030-06-01T09:00:00"),
  zone: meaning((zone: string) => zoneNamed(zone) === zone, "an IANA time zone like Europe/Copenhagen"),
  duration: meaning((text: string) => lengthOf(text) !== undefined, "an ISO 8601 duration like PT2H"),
  "slot-length": meaning((text: string) => {
    const length = lengthOf(text) ?? 0;
    return SHORTEST_SLOT_MS <= length && length <= LONGEST_SESSION_MS;
  }, "an ISO 8601 duration from PT5M to P1Y"),
  cutoff: meaning(
    (text: string) => lengthOf(text) !== undefined || readInstant(text) !== undefined,
    "a duration like PT2H, or an instant",
  ),
  session: meaning(({ starts_at, ends_at }: Session) => {
    const length = toMillis(ends_at) - toMillis(starts_at);
    return 0 < length && length <= LONGEST_SESSION_MS;
  }, "a session that ends after it starts, and lasts at most P1Y"),
  currency: meaning((code: string) => decimalsOf(code) !== undefined, "an ISO 4217 currency like DKK"),
  amount: meaning(
    ({ currency, exponent }: Price) => exponent === decimalsOf(currency),
    ({ currency }: Price) => `an amount with the ${decimalsOf(currency)} decimals of ${currency} as its exponent`,
  ),
  balanced: meaning(isBalanced, "postings whose debits and credits are equal"),
  "refunds-of-its-own": meaning(
    ({ transactions, refunds }: Order) =>
      refunds.every(({ transaction_id }) => transactions.some(({ id }) => id === transaction_id)),
    "an order whose refunds name its own transactions",
  ),
  target: meaning(
    (url: string) => whyNotTarget(url) === undefined,
    (url: string) => `an address to deliver to: ${whyNotTarget(url)}`,
  ),
  "event-kind": meaning((kind: string) => EVENT_KINDS.some((known) => known === kind), "a kind of event"),
  "message-body": meaning(
    isMessageBody,
    "the text of a JSON object with id, type, timestamp and payload, as messages are sent",
  ),
  assumptions: meaning(
    (values: Record<string, string>) => whyNotAll(values) === undefined,
    (values: Record<string, string>) => `assumptions of this sandbox: ${whyNotAll(values)}`,
  ),
  fixture: meaning(
    hasFixture,
    "the name of a fixture that this sandbox has, or the folder that it was started with: the world is begun anew from it",
  ),
});

/** Milliseconds; undefined for what is no duration or too long. */
function lengthOf(duration: string): number | undefined {
  try {
    const length = durationMillis(duration);
    return 0 <= length && length <= LONGEST_DURATION_MS ? length : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined for what is no currency. */
function decimalsOf(currency: string): number | undefined {
  return isCurrency(currency) ? exponentOf(currency) : undefined;
}

function isBalanced(postings: readonly Posting[]): boolean {
  const open = new Map<string, number>();
  for (const { direction, amount } of postings) {
    const signed = direction === "DEBIT" ? amount.value : -amount.value;
    open.set(amount.currency, (open.get(amount.currency) ?? 0) + signed);
  }
  return [...open.values()].every((rest) => rest === 0);
}

function isMessageBody(text: string): boolean {
  try {
    const { id, type, timestamp, payload, ...others } = JSON.parse(text) as Record<string, unknown>;
    const isObject = typeof payload === "object" && payload !== null && !Array.isArray(payload);
    const isKind = EVENT_KINDS.some((known) => known === type);
    const isNamed = typeof id === "string" && typeof timestamp === "string";
    return isObject && isKind && isNamed && !isDeeperThan(DEEPEST, [payload, others]);
  } catch {
    return false;
  }
}

function whyNotAll(values: Record<string, string>): string | undefined {
  return Object.entries(values)
    .map(([id, value]) => whyNotAssume(id, value))
    .find((reason) => reason !== undefined);
}

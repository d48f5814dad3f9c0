// What a schema can't say about a member of a record: the `means` of spec/world.yaml. Each row says whether a value is valid, and what is
// expected. Only values of the right type are checked.

import { isDeeperThan } from "../../platform/depth.ts";
import { isObject } from "../../platform/json.ts";
import { explainTarget } from "../domain/company/subscription.ts";
import { isInstant, isLocal, parseDuration, readInstant, toMillis } from "../domain/kernel/instant.ts";
import { EVENT_KINDS } from "../domain/kernel/kinds.ts";
import type { Order, Posting, Price, Session } from "../domain/kernel/records.ts";
import { findZone } from "../domain/kernel/zone.ts";
import { getExponent, isCurrency } from "../domain/money/currency.ts";
import { whyNotAssume } from "./register.ts";

/** Whether a value is valid, which the schema beside it ensures the type of; and what is expected. */
type Meaning = readonly [holds: (value: never) => boolean, wanted: string | ((value: never) => string)];

/** What depends on the options of the sandbox. */
export interface MeaningContext {
  /** Whether a world can be reset to the fixture of this name. */
  hasFixture(name: string): boolean;
}

/** What is sent is listed too, and nobody sends more levels than this. */
const DEEPEST = 64;
/** P1Y, a leap year included. */
const LONGEST_SESSION_MS = 366 * 86_400_000;
/** PT5M, as acts demand it. */
const SHORTEST_SLOT_MS = 5 * 60_000;
/** Beyond these, dates end. */
const LONGEST_DURATION_MS = 10_000 * 366 * 86_400_000;

/** By the name that stands after `means` in spec/world.yaml. */
export const createMeanings = ({ hasFixture }: MeaningContext): Readonly<Record<string, Meaning>> => ({
  instant: [isInstant, "an instant like 2030-06-01T09:00:00.000Z"],
  "local-time": [isLocal, "a local date-time like 2030-06-01T09:00:00"],
  zone: [(zone: string) => findZone(zone) === zone, "an IANA time zone like Europe/Copenhagen"],
  duration: [(text: string) => lengthOf(text) !== undefined, "an ISO 8601 duration like PT2H"],
  "slot-length": [
    (text: string) => {
      const length = lengthOf(text) ?? 0;
      return SHORTEST_SLOT_MS <= length && length <= LONGEST_SESSION_MS;
    },
    "an ISO 8601 duration from PT5M to P1Y",
  ],
  cutoff: [
    (text: string) => lengthOf(text) !== undefined || readInstant(text) !== undefined,
    "a duration like PT2H, or an instant",
  ],
  session: [
    ({ starts_at, ends_at }: Session) => {
      const length = toMillis(ends_at) - toMillis(starts_at);
      return 0 < length && length <= LONGEST_SESSION_MS;
    },
    "a session that ends after it starts, and lasts at most P1Y",
  ],
  currency: [(code: string) => decimalsOf(code) !== undefined, "an ISO 4217 currency like DKK"],
  amount: [
    ({ currency, exponent }: Price) => exponent === decimalsOf(currency),
    ({ currency }: Price) => `an amount with the ${decimalsOf(currency)} decimals of ${currency} as its exponent`,
  ],
  balanced: [isBalanced, "postings whose debits and credits are equal"],
  "refunds-of-its-own": [
    ({ transactions, refunds }: Order) =>
      refunds.every(({ transaction_id }) => transactions.some(({ id }) => id === transaction_id)),
    "an order whose refunds name its own transactions",
  ],
  target: [
    (url: string) => explainTarget(url) === undefined,
    (url: string) => `an address to deliver to: ${explainTarget(url)}`,
  ],
  "event-kind": [(kind: string) => EVENT_KINDS.some((known) => known === kind), "a kind of event"],
  "message-body": [
    isMessageBody,
    "the text of a JSON object with id, type, timestamp and payload, as messages are sent",
  ],
  assumptions: [
    (values: Record<string, string>) => whyNotAll(values) === undefined,
    (values: Record<string, string>) => `assumptions of this sandbox: ${whyNotAll(values)}`,
  ],
  fixture: [
    hasFixture,
    "the name of a fixture that this sandbox has, or the folder that it was started with: the world is begun anew from it",
  ],
});

/** Milliseconds; undefined for what is no duration or too long. */
function lengthOf(duration: string): number | undefined {
  try {
    const length = parseDuration(duration);
    return 0 <= length && length <= LONGEST_DURATION_MS ? length : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined for what is no currency. */
function decimalsOf(currency: string): number | undefined {
  return isCurrency(currency) ? getExponent(currency) : undefined;
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
    const isNamed =
      typeof id === "string" && typeof timestamp === "string" && EVENT_KINDS.some((kind) => kind === type);
    return isNamed && isObject(payload) && !isDeeperThan(DEEPEST, [payload, others]);
  } catch {
    return false;
  }
}

function whyNotAll(values: Record<string, string>): string | undefined {
  const reasons = Object.entries(values).map(([id, value]) => whyNotAssume(id, value));
  return reasons.find((reason) => reason !== undefined);
}

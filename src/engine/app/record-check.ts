// Validates a record by the schema of its collection in spec/world.yaml, which the build has compiled, and describes
// the first violation. The `means` of the schema are checks that a schema can't express.

import type { ErrorObject } from "ajv";
import generated from "../../contract/generated/world-validators.js";
import { isDeeperThan } from "../../platform/depth.ts";
import { isObject, showJson } from "../../platform/json.ts";
import { decodeStep } from "../../platform/member-paths.ts";
import { explainTarget } from "../domain/company/subscription.ts";
import { describeSize } from "../domain/kernel/forms.ts";
import { isInstant, isLocal, parseDuration, readInstant, toMillis } from "../domain/kernel/instant.ts";
import { EVENT_KINDS } from "../domain/kernel/kinds.ts";
import type { Order, Posting, Price, Session } from "../domain/kernel/records.ts";
import { findZone } from "../domain/kernel/zone.ts";
import { getExponent, isCurrency } from "../domain/money/currency.ts";
import type { Name } from "../world/state/schema.ts";
import { explainInvalidAssumption } from "./assumptions.ts";

interface RecordMisfit {
  /** The path in the record, such as "sessions.0.starts_at"; empty for the complete record. */
  member: string;
  what: string;
}

export type RecordCheck = (collection: Name, record: unknown) => RecordMisfit | undefined;

/**
 * `hasFixture`: whether a world can be reset to the fixture of this name. The validators get the meanings when the
 * first record is checked.
 */
export function makeRecordCheck(hasFixture: (name: string) => boolean): RecordCheck {
  const meanings = { ...MEANINGS, fixture: [hasFixture, FIXTURE_ADVICE] as const };
  const holds = Object.fromEntries(Object.entries(meanings).map(([name, [holds]]) => [name, holds]));
  let validators: ReturnType<typeof generated.given> | undefined;
  return (collection, record) => {
    validators ??= generated.given(holds);
    const isValid = validators[collection];
    if (!isValid || isValid(record)) return undefined;
    const [error] = isValid.errors ?? [];
    return error ? describeMisfit(error) : { member: "", what: "it is not valid." };
  };
}

function describeMisfit(error: ErrorObject): RecordMisfit {
  const { instancePath, keyword, params, data } = error;
  const unknown = params.additionalProperty ?? params.unevaluatedProperty;
  const path = [...instancePath.split("/").slice(1).map(decodeStep), unknown ?? params.missingProperty ?? []].flat();
  // Names are from the document, so they are shortened.
  const member = path.map((step) => String(step).slice(0, 60)).join(".");
  if (unknown !== undefined) return { member, what: "it is an unknown field. Remove it." };
  if (keyword === "required") return { member, what: "it is missing." };
  if (keyword === "discriminator")
    return { member: [...path, params.tag].join("."), what: `it is ${showJson(params.tagValue)}, which is unknown.` };
  return { member, what: `it must ${describeExpected(error)}, and it is ${showJson(data)}.` };
}

/** Returns the end of "it must …". */
function describeExpected({ keyword, params, message, data }: ErrorObject): string {
  const wanted = keyword === "means" && (MEANINGS[params.means]?.[1] ?? FIXTURE_ADVICE);
  if (wanted) return `be ${typeof wanted === "string" ? wanted : wanted(data as never)}`;
  if (keyword === "enum") return `be one of ${(params.allowedValues as unknown[]).join(", ")}`;
  if (keyword === "const") return `be ${showJson(params.allowedValue)}`;
  return (describeSize(keyword, params.limit) ?? message ?? "fit").replace(/^must /, "");
}

const FIXTURE_ADVICE =
  "the name of a fixture of this sandbox, or the folder that it was started with, because a reset uses it";

/** A check of a value, whose type the schema ensures, and the expected value in words. */
type Meaning = readonly [holds: (value: never) => boolean, wanted: string | ((value: never) => string)];

/** The maximum nesting of a message. Requests have the same limit. */
const MAX_DEPTH = 64;
/** P1Y, a leap year included. */
const MAX_SESSION_MS = 366 * 86_400_000;
/** PT5M, which acts require too. */
const MIN_SLOT_MS = 5 * 60_000;
/** Longer durations exceed the range of dates. */
const MAX_DURATION_MS = 10_000 * 366 * 86_400_000;

/** The checks by the names after `means` in spec/world.yaml. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  instant: [isInstant, "an instant like 2030-06-01T09:00:00.000Z"],
  "local-time": [isLocal, "a local date-time like 2030-06-01T09:00:00"],
  zone: [(zone: string) => findZone(zone) === zone, "an IANA time zone like Europe/Copenhagen"],
  duration: [(text: string) => readLengthMs(text) !== undefined, "an ISO 8601 duration like PT2H"],
  "slot-length": [
    (text: string) => isWithin(readLengthMs(text) ?? 0, MIN_SLOT_MS, MAX_SESSION_MS),
    "an ISO 8601 duration from PT5M to P1Y",
  ],
  cutoff: [
    (text: string) => readLengthMs(text) !== undefined || readInstant(text) !== undefined,
    "a duration like PT2H, or an instant",
  ],
  session: [
    ({ starts_at, ends_at }: Session) => isWithin(toMillis(ends_at) - toMillis(starts_at), 1, MAX_SESSION_MS),
    "a session that ends after it starts, and lasts at most P1Y",
  ],
  currency: [isCurrency, "an ISO 4217 currency like DKK"],
  amount: [
    ({ currency, exponent }: Price) => isCurrency(currency) && exponent === getExponent(currency),
    "an amount with the decimals of its currency as its exponent",
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
    (values: Record<string, string>) => explainInvalidAssumptions(values) === undefined,
    (values: Record<string, string>) => `assumptions of this sandbox: ${explainInvalidAssumptions(values)}`,
  ],
};

const isWithin = (value: number, least: number, most: number): boolean => least <= value && value <= most;

/** Returns milliseconds; undefined for an invalid or too long duration. */
function readLengthMs(duration: string): number | undefined {
  try {
    const length = parseDuration(duration);
    return isWithin(length, 0, MAX_DURATION_MS) ? length : undefined;
  } catch {
    return undefined;
  }
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
    return isNamed && isObject(payload) && !isDeeperThan(MAX_DEPTH, [payload, others]);
  } catch {
    return false;
  }
}

function explainInvalidAssumptions(values: Record<string, string>): string | undefined {
  const reasons = Object.entries(values).map(([id, value]) => explainInvalidAssumption(id, value));
  return reasons.find((reason) => reason !== undefined);
}

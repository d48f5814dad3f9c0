// Describes the outcome of a log entry in words: what happened to which record, and how much money moved. Every list of
// the log uses this wording, which is derived from the names of the facts.
import type { Schemas } from "../../contract/schemas.ts";
import { formatAmount } from "../../platform/amount-text.ts";
import { type Fact, toWords } from "../domain/kernel/facts.ts";
import type { CollectionName, RecordReference, StoredRecord } from "../domain/kernel/record-kinds.ts";
import { findCollection, getHead, recordKinds } from "../domain/kernel/record-kinds.ts";
import type { JournalEntry } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { getExponent } from "../domain/money/currency.ts";
import { redactRecord } from "./redact.ts";
import { type ExchangeDetails, type LogEntry, readDetails } from "./view.ts";

type Phrase = Schemas["Phrase"];

/** More kinds of changes than this are counted. */
const MAX_PHRASES = 5;

/** `earlier`: an earlier, successful request of the same client for the same. */
export function describeOutcome(entry: LogEntry, tx: Transaction, earlier: LogEntry | undefined): Phrase[] {
  const { facts, failed, status } = entry;
  // The response to a rejected request has its own sentence.
  if (facts.length === 0) return failed ? describeEarlier(earlier, tx) : findSubject(entry, tx);
  const answer = status === null ? "the answer was lost" : `the answer was ${status}`;
  return [
    ...(failed ? [{ text: `carried out, but ${answer}`, tone: "warn" as const }] : []),
    ...(earlier ? [{ text: `made twice: ${earlier.id} made the same`, tone: "warn" as const }] : []),
    ...listFactPhrases(facts, tx),
    ...listAmountsMoved(facts, tx),
  ];
}

/** Whether a fact accompanies other changes. Such a fact has a phrase only if it is alone. */
const isSideEffect = ({ fact }: Fact): boolean =>
  fact.startsWith("order.") || fact.endsWith(".updated") || fact === "journal_entry.created";

function listFactPhrases(facts: readonly Fact[], tx: Transaction): Phrase[] {
  const own = facts.filter((fact) => !isSideEffect(fact));
  const byName = new Map<string, Set<string>>();
  for (const { fact, id } of own.length > 0 ? own : facts) byName.set(fact, (byName.get(fact) ?? new Set()).add(id));
  const phrases = [...byName].map(([fact, ids]) => formatPhrase(fact, [...ids], tx));
  const more = phrases.length - MAX_PHRASES;
  return more > 0 ? [...phrases.slice(0, MAX_PHRASES), { text: `${more} more kinds` }] : phrases;
}

/** Replaces the last words of facts that don't fit after the name of a record. */
const VERBS: Readonly<Record<string, string>> = {
  "activity recorded": "given an activity",
  "check in undone": "no longer checked in",
  "document attached": "given a document",
};

/** Formats facts such as "booking cancelled: Anna Holm · …" or "3 bookings cancelled". */
function formatPhrase(fact: string, ids: readonly string[], tx: Transaction): Phrase {
  const [noun, happened] = toWords(fact);
  const verb = VERBS[happened] ?? happened;
  const collection = findCollection(noun);
  // A list of titles would be too long for a phrase, so several records are counted.
  if (ids.length > 1) return { text: `${ids.length} ${collection ? recordKinds[collection].label : noun} ${verb}` };
  const record = collection && findReference(tx, collection, ids[0] as string);
  return { text: `${noun} ${verb}`, ...(record ? { record } : {}) };
}

function findReference(tx: Transaction, collection: CollectionName, id: string): RecordReference | undefined {
  const record = tx[collection].get(id) as StoredRecord | undefined;
  if (!record) return undefined;
  const { title, timezone } = getHead(tx, collection, redactRecord(record));
  return { collection, id, title, ...(timezone ? { timezone } : {}) };
}

const MOVED: Readonly<Record<JournalEntry["kind"], string>> = {
  SALE: "paid",
  REFUND: "refunded",
  REVENUE_RECOGNITION: "recognised as revenue",
  REVENUE_RECOGNITION_REVERSAL: "no longer recognised as revenue",
  BREAKAGE: "kept as breakage",
  ADJUSTMENT: "adjusted",
};

/** Sums the debits of the journal entries by their kind and currency. */
function listAmountsMoved(facts: readonly Fact[], tx: Transaction): Phrase[] {
  const sums = new Map<string, { kind: JournalEntry["kind"]; currency: string; value: number }>();
  for (const { fact, id } of facts) {
    const entry = fact === "journal_entry.created" ? tx.entries.get(id) : undefined;
    if (!entry) continue;
    const { kind, currency } = entry;
    const sum = sums.get(`${kind} ${currency}`) ?? { kind, currency, value: 0 };
    sums.set(`${kind} ${currency}`, sum);
    // Debits and credits of an entry are equal, so the debits are its amount.
    for (const { direction, amount } of entry.postings) if (direction === "DEBIT") sum.value += amount.value;
  }
  return [...sums.values()].map(({ kind, currency, value }) => ({
    text: `${formatAmount({ currency, value, exponent: getExponent(currency) }, true)} ${MOVED[kind]}`,
  }));
}

/** Finds the record that the path of a request names. */
function findSubject(entry: LogEntry, tx: Transaction): Phrase[] {
  if (entry.kind !== "request") return [];
  const { params } = readDetails<ExchangeDetails>(entry);
  const answering = Object.entries(recordKinds) as [CollectionName, (typeof recordKinds)[CollectionName]][];
  return Object.entries(params).flatMap(([parameter, id]) => {
    const [collection] = answering.find(([, { answered = [] }]) => answered[1] === parameter && !answered[2]) ?? [];
    const record = collection && findReference(tx, collection, id);
    return record ? [{ text: "", record }] : [];
  });
}

/** Describes the result of the earlier request, whose response the client did not receive. */
function describeEarlier(earlier: LogEntry | undefined, tx: Transaction): Phrase[] {
  if (!earlier) return [];
  const made = earlier.facts.find(isCreated);
  const record = made && formatPhrase(made.fact, [made.id], tx).record;
  const text = `${earlier.id}, the same, was carried out, and only its answer was lost`;
  return [{ text, tone: "warn", ...(record ? { record } : {}) }];
}

const isCreated = ({ fact }: Fact): boolean => fact.endsWith(".created") && !isSideEffect({ fact, id: "" });

/**
 * Whether a request repeats another one of its client: the same operation with the same body. A rejected request does
 * so only if the client can't know of the first.
 */
export const isTwin = (one: LogEntry, other: LogEntry): boolean =>
  one.operation === other.operation &&
  one.client_id === other.client_id &&
  (one.facts.length > 0 || other.failed) &&
  other.facts.some(isCreated) &&
  hasSameBody(readDetails(one), readDetails(other));

const hasSameBody = ({ sent }: ExchangeDetails, other: ExchangeDetails): boolean =>
  sent !== undefined && sent === other.sent;

/** Whether a search for an earlier request makes sense. The test is cheap. */
export const canHaveTwin = ({ kind, client_id, failed, facts }: LogEntry): boolean =>
  kind === "request" && client_id !== undefined && (failed || facts.some(isCreated));

/** Facts after which a client may send the request for a record again. */
const ENDS = /\.(cancelled|voided|deleted|removed|lapsed|revoked)$/;

/** Whether an entry ended or undid the records that another created. */
export function hasEnded(made: LogEntry, later: LogEntry): boolean {
  const ids = made.facts.filter(isCreated).map(({ id }) => id);
  const isRewound = later.kind === "world" && later.text.includes(JSON.stringify(made.id));
  return isRewound || later.facts.some(({ fact, id }) => ENDS.test(fact) && ids.includes(id));
}

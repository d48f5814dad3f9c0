// The outcome of an entry of the log, in words: what was done to which record, and how much money moved. One wording for all that list
// the log, so that none of them makes sentences of ids. Its words are those of the facts.

import type { Schemas } from "../../contract/schemas.ts";
import { formatAmount } from "../../platform/amount-text.ts";
import { type Fact, toWords } from "../domain/kernel/facts.ts";
import type { RecordReference } from "../domain/kernel/record-kinds.ts";
import {
  type CollectionName,
  findCollection,
  getHead,
  recordKinds,
  type StoredRecord,
} from "../domain/kernel/record-kinds.ts";
import type { JournalEntry } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { getExponent } from "../domain/money/currency.ts";
import { redactRecord } from "./redact.ts";
import { type ExchangeDetails, type LogEntry, readDetails, touches } from "./view.ts";

type Phrase = Schemas["Phrase"];

/** More kinds of changes than this are counted. */
const MOST_PHRASES = 5;

/** `earlier`: a request of the same client that asked for the same and was carried out too. */
export function describeOutcome(entry: LogEntry, tx: Transaction, earlier: LogEntry | undefined): Phrase[] {
  const { facts, failed, status } = entry;
  // A refusal has its own sentence in the answer.
  if (facts.length === 0) return failed ? describeEarlier(earlier, tx) : findSubject(entry, tx);
  const answer = status === null ? "the answer was lost" : `the answer was ${status}`;
  return [
    ...(failed ? [{ text: `carried out, but ${answer}`, tone: "warn" as const }] : []),
    ...(earlier ? [{ text: `made twice: ${earlier.id} made the same`, tone: "warn" as const }] : []),
    ...listHappenings(facts, tx),
    ...listAmountsMoved(facts, tx),
  ];
}

/** What goes with every other change: it has a phrase only where there is nothing else. */
const isSideEffect = ({ fact }: Fact): boolean =>
  fact.startsWith("order.") || fact.endsWith(".updated") || fact === "journal_entry.created";

function listHappenings(facts: readonly Fact[], tx: Transaction): Phrase[] {
  const own = facts.filter((fact) => !isSideEffect(fact));
  const byName = new Map<string, Set<string>>();
  for (const { fact, id } of own.length > 0 ? own : facts) byName.set(fact, (byName.get(fact) ?? new Set()).add(id));
  const phrases = [...byName].map(([fact, ids]) => formatPhrase(fact, [...ids], tx));
  const more = phrases.length - MOST_PHRASES;
  return more > 0 ? [...phrases.slice(0, MOST_PHRASES), { text: `${more} more kinds` }] : phrases;
}

/** Where the last word of a fact does not read on after its record. */
const VERBS: Readonly<Record<string, string>> = {
  "activity recorded": "given an activity",
  "check in undone": "no longer checked in",
  "document attached": "given a document",
};

/** "booking cancelled: Anna Holm · …"; "3 bookings cancelled". */
function formatPhrase(fact: string, ids: readonly string[], tx: Transaction): Phrase {
  const [noun, happened] = toWords(fact);
  const verb = VERBS[happened] ?? happened;
  const collection = findCollection(noun);
  // Several are counted; a list of titles would be no phrase.
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

/** The debits of its entries, by what they are for and by currency. */
function listAmountsMoved(facts: readonly Fact[], tx: Transaction): Phrase[] {
  const sums = new Map<string, { kind: JournalEntry["kind"]; currency: string; value: number }>();
  for (const { fact, id } of facts) {
    const entry = fact === "journal_entry.created" ? tx.entries.get(id) : undefined;
    if (!entry) continue;
    const { kind, currency } = entry;
    // One side of a balanced entry is its amount.
    const debits = entry.postings.filter(({ direction }) => direction === "DEBIT");
    const sum = sums.get(`${kind} ${currency}`) ?? { kind, currency, value: 0 };
    sum.value += debits.reduce((total, { amount }) => total + amount.value, 0);
    sums.set(`${kind} ${currency}`, sum);
  }
  return [...sums.values()].map(({ kind, currency, value }) => ({
    text: `${formatAmount({ currency, value, exponent: getExponent(currency) }, true)} ${MOVED[kind]}`,
  }));
}

/** Of a request that changed nothing: the record that its path names. */
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

/** Of a request that was refused: what the same had made before, though its client got no answer. */
function describeEarlier(earlier: LogEntry | undefined, tx: Transaction): Phrase[] {
  if (!earlier) return [];
  const made = earlier.facts.find(isCreated);
  const record = made && formatPhrase(made.fact, [made.id], tx).record;
  const text = `${earlier.id}, the same, was carried out, and only its answer was lost`;
  return [{ text, tone: "warn", ...(record ? { record } : {}) }];
}

const isCreated = ({ fact }: Fact): boolean => fact.endsWith(".created") && !isSideEffect({ fact, id: "" });

/**
 * Whether a request asked again for what another of its client had made: the same operation with the same body. One that was refused
 * does so only where the client can't know of the first.
 */
export const isTwin = (one: LogEntry, other: LogEntry): boolean =>
  one.operation === other.operation &&
  one.client_id === other.client_id &&
  (one.facts.length > 0 || other.failed) &&
  other.facts.some(isCreated) &&
  hasSameBody(readDetails<ExchangeDetails>(one), readDetails<ExchangeDetails>(other));

const hasSameBody = (one: ExchangeDetails, other: ExchangeDetails): boolean =>
  one.sent !== undefined && one.sent === other.sent;

/** Cheap, and asked before the requests before it are searched. */
export const mayHaveTwin = ({ kind, client_id, failed, facts }: LogEntry): boolean =>
  kind === "request" && client_id !== undefined && (failed || facts.some(isCreated));

/** What has become of a record when its request may rightly be sent again. */
const ENDS = /\.(cancelled|voided|deleted|removed|lapsed|revoked)$/;

/** Whether an entry ended or undid what another had made. */
export function hasEnded(made: LogEntry, later: LogEntry): boolean {
  const ids = made.facts.filter(isCreated).map(({ id }) => id);
  const isRewound = later.kind === "world" && touches(later, made.id);
  return isRewound || later.facts.some(({ fact, id }) => ENDS.test(fact) && ids.includes(id));
}

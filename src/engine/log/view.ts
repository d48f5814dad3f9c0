// Reads log entries from their text, filters them, and shows them in the views "full", "summary" and "told".
import { parse } from "node:querystring";
import { REDACTED } from "../../platform/redacted.ts";
import { countMove, type Fact, MAX_LISTED, type ReceiptLine } from "../domain/kernel/facts.ts";
import { fromMillis, type Instant } from "../domain/kernel/instant.ts";
import type { Cause } from "../world/state/commit.ts";
import { readHeadText, type StoredEntry } from "./entry.ts";
import { parseBody, redactText } from "./redact.ts";

/**
 * The kinds of entries that the log lists. Facts are the commits of the live stream; the entry of their cause lists
 * them.
 */
export type ListedKind = "request" | "act" | "clock" | "delivery" | "world" | "fact";

/** `told` is a summary with its outcome in words. */
export type LogView = "full" | "summary" | "told";

/** The number of facts, messages and ids in a summary. */
const MAX_SUMMARY_ITEMS = 20;

/** The first part of an entry, which is read without the rest. */
export interface EntryHead {
  readonly kind: ListedKind;
  readonly id: string;
  readonly world: string;
  /** Time on the world's clock. */
  readonly at: Instant;
  /** The operation of a request, or the name of an act. */
  readonly operation?: string | undefined;
  readonly status?: number | null;
  readonly failed: boolean;
  /** Whether the request is from the console or the terminal, not from the integrator's program. */
  readonly by_hand?: boolean;
  readonly client_id?: string | undefined;
  /** The id of the cause. */
  readonly caused_by?: string | undefined;
  readonly test?: string | null | undefined;
  readonly facts: readonly Fact[];
}

export interface LogEntry extends EntryHead {
  readonly seq: number;
  /** Milliseconds of real time. */
  readonly wall: number;
  readonly test: string | null;
  /** The world whose run its world was part of. */
  readonly run?: string;
  /** The length of the body at the end of its text. */
  readonly tail?: number;
  readonly text: string;
}

/** The details of a request or an act. */
export interface ExchangeDetails {
  readonly took: number;
  readonly method: string;
  readonly target: string;
  readonly params: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** The body of the request, unparsed. */
  readonly sent?: string;
  readonly violations?: readonly unknown[];
  readonly scopes?: readonly string[];
  /** The overridden assumptions that changed the operation. */
  readonly overrides?: readonly string[];
  /** Tells tokens apart without revealing them. */
  readonly mark?: string;
  readonly faults?: readonly { fault?: unknown }[];
  readonly trouble?: string;
  /** The process ended before it recorded a response. */
  readonly unfinished?: true;
  /** Headers of the response. */
  readonly answered?: Readonly<Record<string, string>>;
  /** Replaces a response body that is too long for the log. */
  readonly left_out?: { size: number; sha256: string };
}

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

/** The fields of a filter that must equal those of the entry. */
const EQUAL_FIELDS = ["operation", "client_id", "caused_by", "test"] as const;

export interface LogFilter extends Partial<Record<(typeof EQUAL_FIELDS)[number], string>> {
  kinds?: readonly ListedKind[];
  /** Exclusive limits of `seq`. */
  since?: number;
  before?: number;
  /** "404", or "4xx" for all of them. */
  status?: string;
  failed?: boolean;
  touches?: string;
  q?: string;
  /** Whether to include entries of the worlds that are part of the run of the world. */
  run?: boolean;
}

const DETAILS = ',"details":';
const BODY = ',"body":';

/**
 * Encodes the further fields of an entry. `details` and `body` are JSON. The body is last, and is not parsed with the
 * details.
 */
export function encodeMembers(head: object, details: string, body?: string): string {
  const members = JSON.stringify({ ...head, tail: body?.length }).slice(1, -1);
  return `,${members}${DETAILS}${details}${body === undefined ? "" : BODY + body}`;
}

/**
 * Reads the part before the details. JSON escapes quotes, so no string in it contains `,"details":`. A commit is read
 * without its changes.
 */
export function readHead(stored: StoredEntry): LogEntry {
  const { kind, text } = stored;
  if (kind !== "commit") return { ...JSON.parse(`${text.slice(0, text.indexOf(DETAILS))}}`), text };
  const head = readHeadText(stored);
  return { facts: [], ...JSON.parse(head), kind: "fact", test: null, failed: false, text: head };
}

export function readDetails<D extends object>({ text, tail }: LogEntry): D {
  const end = tail === undefined ? 1 : tail + BODY.length + 1;
  return JSON.parse(text.slice(text.indexOf(DETAILS) + DETAILS.length, -end));
}

/** Returns the body of a response or of a message as JSON; undefined without a body. */
const readBody = ({ text, tail }: LogEntry): string | undefined =>
  tail === undefined ? undefined : text.slice(-(tail + 1), -1);

/** Parses the body of a request as JSON or as a form. Other text stays text. */
export function readSent({ sent, headers }: Pick<ExchangeDetails, "sent" | "headers">): unknown {
  const isForm = sent !== undefined && String(headers["content-type"]).includes("form-urlencoded");
  return isForm ? Object.fromEntries(new URLSearchParams(sent)) : parseBody(sent);
}

export const readPath = ({ target }: Pick<ExchangeDetails, "target">): string => target.split("?", 1)[0] ?? "";

/** A parameter that is repeated has a list. */
export function readQuery(target: string): Record<string, string | string[]> {
  const [, query = ""] = target.split(/\?(.*)/s, 2);
  return { ...parse(query, "&", "=", { maxKeys: 0 }) } as Record<string, string | string[]>;
}

/**
 * Creates a function that reads an entry if it matches. Most others are not parsed, because their text shows that they
 * don't match.
 */
export function createMatcher(filter: LogFilter): (stored: StoredEntry) => LogEntry | undefined {
  const { kinds, status, failed, touches, q } = filter;
  const fields = EQUAL_FIELDS.filter((name) => filter[name] !== undefined);
  const needles = fields.map((name) => `"${name}":${JSON.stringify(filter[name])}`);
  const patterns = [
    ...(touches === undefined ? [] : [createPattern(JSON.stringify(touches), "")]),
    ...(q === undefined ? [] : [createPattern(q, "i")]),
  ];
  return (stored) => {
    if (kinds && !kinds.includes(toListedKind(stored))) return undefined;
    const text = stored.kind === "commit" ? readHeadText(stored) : stored.text;
    if (!needles.every((needle) => text.includes(needle)) || !patterns.every((pattern) => pattern.test(text)))
      return undefined;
    const entry = readHead(stored);
    const isMatch =
      fields.every((name) => entry[name] === filter[name]) &&
      (status === undefined || hasStatus(entry, status)) &&
      (!failed || entry.failed);
    return isMatch ? entry : undefined;
  };
}

const toListedKind = ({ kind }: StoredEntry): ListedKind => (kind === "commit" ? "fact" : (kind as ListedKind));

/** The body of a request is a string in the JSON of its entry, so its quotes are escaped. */
const createPattern = (text: string, flags: string): RegExp =>
  new RegExp([text, JSON.stringify(text).slice(1, -1)].map(escapePattern).join("|"), flags);

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

function hasStatus({ status }: LogEntry, wanted: string): boolean {
  return /^[1-5]xx$/i.test(wanted) ? String(status).startsWith(wanted[0] ?? "") : String(status) === wanted;
}

/** `messages`: the ids of the messages that the entry caused; `notes`: remarks of the transport about a request. */
interface Context {
  readonly isFull: boolean;
  readonly messages: readonly string[];
  notes(entry: LogEntry): readonly string[];
}

export function showEntry(entry: LogEntry, context: Context): object {
  const { seq, kind, id, at, wall, world, test } = entry;
  return { seq, kind, id, at, wall_at: fromMillis(wall), world, test, ...MEMBERS[kind](entry, context) };
}

const MEMBERS: Readonly<Record<ListedKind, (entry: LogEntry, context: Context) => object>> = {
  request: showRequest,
  act: showAct,
  clock: showMove,
  delivery(entry, context) {
    const { faults, ...rest } = readDetails<{ faults: LoggedFaults }>(entry);
    return { ...rest, faults: showFaults(faults, context) };
  },
  world: (entry) => readDetails(entry),
  fact: (entry) => ({ cause: (entry as unknown as { cause: unknown }).cause }),
};

type LoggedFaults = readonly { fault?: unknown }[];

const showFaults = (faults: LoggedFaults, { isFull }: Context): object[] =>
  faults.map(({ fault, ...hit }) => (isFull && fault ? { ...hit, fault } : hit));

function showRequest(entry: LogEntry, context: Context): object {
  const details = readDetails<ExchangeDetails>(entry);
  const { method, headers, params, faults = [] } = details;
  return {
    method,
    path: redactText(readPath(details)),
    operation: entry.operation ?? null,
    status: entry.status,
    client_id: entry.client_id ?? null,
    user_agent: headers["user-agent"] ?? "",
    ...showOutcome(entry, details, context, { ids: Object.values(params), bodies: [readBody(entry)] }),
    faults: showFaults(faults, context),
    ...(entry.by_hand ? { by_hand: true } : {}),
    // Bodies are long, so lists omit them.
    ...(context.isFull ? showParts(entry, details, context) : {}),
  };
}

function showParts(entry: LogEntry, details: ExchangeDetails, context: Context): object {
  const { headers, target, violations = [], scopes, mark, answered = {}, left_out } = details;
  const trouble = details.trouble === undefined ? [] : [`Internal error: ${details.trouble}`];
  const body = parseBody(readBody(entry));
  return {
    violations,
    notes: [...trouble, ...context.notes(entry)],
    scopes: scopes ?? null,
    bearer_mark: mark ?? null,
    request: { headers, query: readQuery(target), body: readSent(details) },
    answer: entry.status === null ? null : { headers: answered, body, ...(left_out ? { left_out } : {}) },
  };
}

function showAct(entry: LogEntry, context: Context): object {
  const details = readDetails<ExchangeDetails>(entry);
  const body = readBody(entry);
  const answer = entry.failed ? null : (parseBody(body) as { result?: unknown } | null);
  return {
    act: entry.operation,
    status: entry.failed ? "refused" : "done",
    ...showOutcome(entry, details, context, { ids: [], bodies: [details.sent, body] }),
    ...(context.isFull ? { input: parseBody(details.sent), result: answer?.result ?? null } : {}),
  };
}

/**
 * Shows the part that requests and acts have in common. Lists have counts, since a summary has only the first items.
 * `ids`: from the path.
 */
function showOutcome(
  entry: LogEntry,
  details: ExchangeDetails,
  { isFull, messages }: Context,
  { ids, bodies }: { ids: readonly string[]; bodies: readonly (string | undefined)[] },
): object {
  const { facts } = entry;
  const { code = null, message = null } = readReason(entry, details);
  const most = isFull ? MAX_LISTED : MAX_SUMMARY_ITEMS;
  return {
    duration_ms: details.took,
    code,
    message,
    facts: facts.slice(0, most),
    fact_count: facts.length,
    messages: messages.slice(0, most),
    message_count: messages.length,
    touched: findIds(most, [...facts.map(({ id }) => id), ...ids], bodies).map(redactText),
    ...(details.unfinished ? { unfinished: true } : {}),
  };
}

function showMove(entry: LogEntry, { isFull, messages }: Context): object {
  const { receipt, ...move } = readDetails<ClockMoved>(entry);
  return {
    ...move,
    counts: countMove(receipt),
    // A move over months causes thousands of messages.
    messages: isFull ? messages : messages.slice(0, MAX_SUMMARY_ITEMS),
    message_count: messages.length,
    ...(isFull ? { receipt } : {}),
  };
}

/** Searching the text is cheaper than parsing a long body for a list. */
const ID_MEMBER = /"(?:\w+_)?id":\s*"([^"\\]{1,100})"/g;

/** Finds up to `most` distinct ids. In bodies they are the values of fields called `id` or `…_id`. */
function findIds(most: number, ids: readonly string[], bodies: readonly (string | undefined)[]): string[] {
  const found = new Set(ids.slice(0, most));
  for (const body of bodies) {
    for (const [, id = ""] of body?.matchAll(ID_MEMBER) ?? []) {
      if (found.size >= most) break;
      if (id !== REDACTED) found.add(id);
    }
  }
  return [...found];
}

/** Reads the code and the message of an error response, also of the token endpoint. */
function readReason(entry: LogEntry, { unfinished }: ExchangeDetails): { code?: string; message?: string } {
  if (unfinished) return { message: "The process ended before it recorded a response." };
  if (!entry.failed) return {};
  const body = parseBody(readBody(entry));
  if (typeof body !== "object" || body === null) return {};
  const { code, message, error, error_description } = body as Record<string, unknown>;
  return { code: String(code ?? error ?? ""), message: redactText(String(message ?? error_description ?? "")) };
}

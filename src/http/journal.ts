// The request journal: what came, what it meant, what was answered, what it caused. In memory, bounded in number and bytes; what is
// secret is blotted out when it is shown. Heading "Answers carry sandbox-request-id" of the README.
import { unknownNames } from "./contract.ts";
import { type Exchange, header } from "./exchange.ts";

export interface Entry {
  exchange: Exchange;
  /** The answer's body as it was sent; undefined where none was. */
  sent: string | undefined;
  status: number | null;
  duration_ms: number;
  bytes: number;
}

export interface Filter {
  operation?: string;
  status?: string;
  /** A request id, or an instant. */
  since?: string;
  limit?: number;
}

export interface Journals {
  add(world: string, entry: Entry): void;
  list(world: string, filter: Filter): Entry[];
  find(world: string, id: string): Entry | undefined;
  clear(world: string): void;
  forget(world: string): void;
}

const MOST = 2000;
const MOST_BYTES = 8 * 1024 * 1024;

export function makeJournals(): Journals {
  const journals = new Map<string, { entries: Entry[]; bytes: number }>();
  const of = (world: string) => {
    const journal = journals.get(world) ?? { entries: [], bytes: 0 };
    journals.set(world, journal);
    return journal;
  };
  return {
    add(world, entry) {
      const journal = of(world);
      journal.entries.push(entry);
      journal.bytes += entry.bytes;
      let drop = 0;
      // In strides, so that the cost of shifting is spread over many requests.
      if (journal.entries.length <= MOST * 1.25 && journal.bytes <= MOST_BYTES) return;
      while (journal.entries.length - drop > MOST || (journal.bytes > MOST_BYTES * 0.75 && drop < journal.entries.length - 1)) {
        journal.bytes -= journal.entries[drop]?.bytes ?? 0;
        drop++;
      }
      journal.entries.splice(0, drop);
    },
    list(world, { operation, status, since, limit }) {
      const entries = of(world).entries;
      const start = since === undefined ? 0 : startOf(entries, since);
      const found = entries.slice(start).filter((entry) => (!operation || entry.exchange.route?.id === operation) && (!status || isStatus(entry, status)));
      return limit === undefined ? found : found.slice(-limit);
    },
    find: (world, id) => of(world).entries.findLast((entry) => entry.exchange.id === id),
    clear: (world) => void journals.set(world, { entries: [], bytes: 0 }),
    forget: (world) => void journals.delete(world),
  };
}

/** Behind that request, or from that instant on. */
function startOf(entries: readonly Entry[], since: string): number {
  const place = entries.findIndex((entry) => entry.exchange.id === since);
  if (place >= 0) return place + 1;
  const first = entries.findIndex((entry) => entry.exchange.at >= since);
  return first < 0 ? entries.length : first;
}

/** "404", or "4xx" for all of them. */
function isStatus({ status }: Entry, wanted: string): boolean {
  return /^[1-5]xx$/i.test(wanted) ? String(status).startsWith(wanted[0] ?? "") : String(status) === wanted;
}

export function showEntry(entry: Entry, messages: readonly string[]): object {
  const { exchange } = entry;
  return {
    id: exchange.id,
    at: exchange.at,
    world: exchange.world?.id ?? "default",
    client_id: exchange.key?.id ?? null,
    method: exchange.method,
    path: exchange.path,
    operation: exchange.route?.id ?? null,
    status: entry.status,
    duration_ms: entry.duration_ms,
    violations: exchange.violations,
    notes: notesOf(exchange),
    request: { headers: blotted(exchange.headers), query: exchange.query, body: blottedBody(readable(exchange.raw, header(exchange, "content-type"))) },
    answer: entry.status === null ? null : { headers: exchange.answer?.headers ?? {}, body: blottedBody(parsed(entry.sent)) },
    facts: exchange.facts,
    messages,
  };
}

/** What was let pass but is worth knowing (assumptions: unknown-query, unknown-body-field). */
function notesOf(exchange: Exchange): string[] {
  if (!exchange.route) return [];
  const { query, body } = unknownNames(exchange, exchange.route.operation);
  return [
    ...query.map((name) => `The query parameter ${name} is not documented and was ignored.`),
    ...body.map((place) => `${place} is not documented and was ignored.`),
  ];
}

const SECRET_HEADERS = /^(authorization|cookie|proxy-authorization)$/;
const SECRET_MEMBERS = /^(client_secret|access_token|secret|password)$/;
const BLOT = "[redacted]";

function blotted(headers: Exchange["headers"]): Record<string, string | string[]> {
  const shown = Object.entries(headers).filter((entry): entry is [string, string | string[]] => entry[1] !== undefined);
  return Object.fromEntries(shown.map(([name, value]) => [name, SECRET_HEADERS.test(name) ? BLOT : value]));
}

function blottedBody(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(blottedBody);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, SECRET_MEMBERS.test(name) ? BLOT : blottedBody(member)]));
}

function readable(raw: Buffer | undefined, type: string | undefined): unknown {
  if (!raw || raw.length === 0) return null;
  const text = raw.toString("utf8");
  return type?.includes("form-urlencoded") ? Object.fromEntries(new URLSearchParams(text)) : parsed(text);
}

function parsed(text: string | undefined): unknown {
  if (text === undefined || text === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

// The request journal: what came, what it meant, what was answered, what it caused. In memory, bounded in number and bytes.
// Heading "Answers carry sandbox-request-id" of the README.
import { readInstant } from "../domain/kernel/instant.ts";
import type { Exchange } from "./exchange.ts";

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

export interface RequestLogs {
  add(world: string, entry: Entry): void;
  list(world: string, filter: Filter): Entry[];
  find(world: string, id: string): Entry | undefined;
  clear(world: string): void;
  forget(world: string): void;
}

/** As sandbox.ts makes them; it may be one of an earlier run. */
export const isRequestId = (text: string): boolean => /^req-\w+-\d+$/.test(text);

const MOST = 2000;
/** What is kept lives through several collections of garbage, and each copies it: 60 pages of a hundred bookings, or the 2000. */
const MOST_BYTES = 4 * 1024 * 1024;

export function makeRequestLogs(): RequestLogs {
  const requestLogs = new Map<string, { entries: Entry[]; bytes: number }>();
  const of = (world: string) => {
    const journal = requestLogs.get(world) ?? { entries: [], bytes: 0 };
    requestLogs.set(world, journal);
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
      while (
        journal.entries.length - drop > MOST ||
        (journal.bytes > MOST_BYTES * 0.75 && drop < journal.entries.length - 1)
      ) {
        journal.bytes -= journal.entries[drop]?.bytes ?? 0;
        drop++;
      }
      journal.entries.splice(0, drop);
    },
    list(world, { operation, status, since, limit }) {
      const entries = of(world).entries;
      const start = since === undefined ? 0 : startOf(entries, since);
      const found = entries
        .slice(start)
        .filter(
          (entry) => (!operation || entry.exchange.route?.id === operation) && (!status || isStatus(entry, status)),
        );
      return limit === undefined ? found : found.slice(-limit);
    },
    find: (world, id) => of(world).entries.findLast((entry) => entry.exchange.id === id),
    clear: (world) => void requestLogs.set(world, { entries: [], bytes: 0 }),
    forget: (world) => void requestLogs.delete(world),
  };
}

/** Behind that request, or from that instant on. */
function startOf(entries: readonly Entry[], since: string): number {
  const place = entries.findIndex((entry) => entry.exchange.id === since);
  if (place >= 0) return place + 1;
  const instant = readInstant(since);
  // A request that the journal has let go of: what is left came later.
  if (instant === undefined) return 0;
  const first = entries.findIndex((entry) => entry.exchange.at >= instant);
  return first < 0 ? entries.length : first;
}

/** "404", or "4xx" for all of them. */
function isStatus({ status }: Entry, wanted: string): boolean {
  return /^[1-5]xx$/i.test(wanted) ? String(status).startsWith(wanted[0] ?? "") : String(status) === wanted;
}

// The log of each world: requests, acts, moves of the clock, attempts of deliveries and changes of the world, in one order. In memory,
// each kind bounded by itself, so that a busy clock pushes no request out. Heading "Answers carry sandbox-request-id" of the README.
import { fromMillis } from "../domain/kernel/instant.ts";
import { causedMessages } from "../domain/kernel/lookups.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { ActivityStream, EntryKind, Log, LogDraft, LogEntry, LogFilter, LogView } from "./application.ts";
import { type LogLimits, LogRing } from "./log-ring.ts";
import { hasEnded, isTwin, mayHaveTwin, phrasesOf } from "./outcome-phrases.ts";

interface LogDeps {
  activity: Pick<ActivityStream, "next" | "latest" | "listeners" | "tell">;
  wall(): number;
  limits: LogLimits;
  /** The world whose run this one is part of. */
  headOf(world: string): string | undefined;
  /** Reads a world as it is; undefined where it is not here. */
  read<T>(world: string, read: (tx: Transaction) => T): T | undefined;
}

/** The log of one world. */
interface WorldLog {
  rings: Map<EntryKind, LogRing>;
  /** Of the worlds that are part of its run; what is there outlives them. */
  ofRun: Map<EntryKind, LogRing>;
  mark: string | null;
}

/** So many requests before one are looked through for its twin. */
const MOST_BEFORE = 200;
const MOST_BETWEEN = 1000;

/** Each has a ring of its own; facts go to listeners and are not listed. */
const KINDS: readonly EntryKind[] = ["request", "act", "clock", "delivery", "world"];

export function makeLog({ activity, wall, limits, headOf, read }: LogDeps): Log {
  const logs = new Map<string, WorldLog>();
  const logOf = (world: string): WorldLog => {
    const log = logs.get(world) ?? { rings: new Map(), ofRun: new Map(), mark: null };
    logs.set(world, log);
    return log;
  };
  const ringIn = (rings: Map<EntryKind, LogRing>, kind: EntryKind): LogRing => {
    const ring = rings.get(kind) ?? new LogRing(limits);
    rings.set(kind, ring);
    return ring;
  };
  const ringOf = (world: string, kind: EntryKind): LogRing => ringIn(logOf(world).rings, kind);
  const ringsOf = (world: string, kinds: readonly EntryKind[] = KINDS): LogRing[] =>
    kinds.flatMap((kind) => logs.get(world)?.rings.get(kind) ?? []);
  const listedIn = (world: string, kinds: readonly EntryKind[] = KINDS, run = false): LogRing[] => [
    ...ringsOf(world, kinds),
    ...(run ? kinds.flatMap((kind) => logs.get(world)?.ofRun.get(kind) ?? []) : []),
  ];
  const find = (world: string, id: string): LogEntry | undefined =>
    newest(ringsOf(world).flatMap((ring) => ring.find(id) ?? []));

  const messagesOf = (world: string, cause: string): readonly string[] =>
    read(world, (tx) => causedMessages(tx, cause)) ?? [];
  const twinOf = (entry: LogEntry): LogEntry | undefined => {
    if (!mayHaveTwin(entry)) return undefined;
    const { entries } = ringOf(entry.world, "request");
    const at = entries.lastIndexOf(entry);
    const between = (other: LogEntry): LogEntry[] =>
      ringsOf(entry.world).flatMap((ring) => latestOf(ring, { since: other.seq, before: entry.seq }, MOST_BETWEEN));
    return entries
      .slice(Math.max(0, at - MOST_BEFORE), Math.max(0, at))
      .findLast((other) => isTwin(entry, other) && !between(other).some((later) => hasEnded(other, later)));
  };
  const inWords = (entry: LogEntry) =>
    entry.kind === "delivery" ? {} : { told: read(entry.world, (tx) => phrasesOf(entry, tx, twinOf(entry))) ?? [] };
  const viewOf = (entry: LogEntry, view: LogView) => {
    const { seq, kind, id, at, wall: wallMs, world, test, facts } = entry;
    // Only what changed something can have caused messages.
    const messages = facts.length === 0 ? [] : messagesOf(world, id);
    return { seq, kind, id, at, wall_at: fromMillis(wallMs), world, test, ...entry.show(view, messages) };
  };

  return {
    twinOf,
    add(draft: LogDraft) {
      const { world, kind, caused_by } = draft;
      const entry = draft as LogEntry;
      // A fact has the number of its commit.
      entry.seq = draft.seq ?? activity.next();
      entry.wall = wall();
      // What a request causes belongs to its test, even when the mark has moved on.
      entry.test = draft.test ?? (caused_by && find(world, caused_by)?.test) ?? logs.get(world)?.mark ?? null;
      ringOf(world, kind).add(entry);
      const head = headOf(world);
      if (head !== undefined && KINDS.includes(kind)) ringIn(logOf(head).ofRun, kind).add(entry);
      if (activity.listeners > 0) activity.tell(entry);
    },
    list: (world, filter, limit = Number.POSITIVE_INFINITY) =>
      listedIn(world, filter.kinds, filter.run)
        .flatMap((ring) => latestOf(ring, filter, limit))
        .sort((a, b) => a.seq - b.seq)
        // The newest of all kinds together; each ring has given at most so many.
        .slice(-limit),
    requestsAbout: (world, record) => ringsOf(world, ["request"]).flatMap((ring) => ring.about(record)),
    find,
    fits,
    show: (entry, view) => ({ ...viewOf(entry, view), ...(view === "told" ? inWords(entry) : {}) }),
    showWhole: (entry) => ({ ...viewOf(entry, "full"), ...inWords(entry) }),
    count: (world, kinds) => ringsOf(world, kinds).reduce((sum, { entries }) => sum + entries.length, 0),
    dropped(world, kinds, run) {
      const lossy = listedIn(world, kinds, run).filter(({ dropped }) => dropped > 0);
      return {
        count: lossy.reduce((sum, { dropped }) => sum + dropped, 0),
        since: Math.max(0, ...lossy.map(({ droppedSeq }) => droppedSeq)),
      };
    },
    rings: (world) =>
      (world === "*" ? [...logs.values()] : [logs.get(world)]).flatMap((log) => [...(log?.rings.values() ?? [])]),
    ringOf: ({ world, kind }) => ringOf(world, kind),
    mark(world, name) {
      logOf(world).mark = name;
    },
    beginAnew(world) {
      const { rings = [], ofRun = [] } = logs.get(world) ?? {};
      for (const [, ring] of [...rings, ...ofRun]) ring.clear();
    },
    forget: (world) => void logs.delete(world),
  };
}

/** Of one id there may be several: the attempts of a delivery. */
function newest(entries: readonly LogEntry[]): LogEntry | undefined {
  return entries.reduce<LogEntry | undefined>(
    (last, entry) => (last && last.seq > entry.seq ? last : entry),
    undefined,
  );
}

/** From the newest backwards, so that a page of the newest costs no walk through all. */
function latestOf(ring: LogRing, filter: LogFilter, limit: number): LogEntry[] {
  const found: LogEntry[] = [];
  const { since = 0, before = Number.POSITIVE_INFINITY } = filter;
  for (let at = ring.entries.length - 1; at >= 0 && found.length < limit; at--) {
    const entry = ring.entries[at] as LogEntry;
    // Older ones only get older.
    if (entry.seq <= since) break;
    if (entry.seq < before && fits(entry, filter)) found.push(entry);
  }
  return found;
}

function fits(entry: LogEntry, filter: LogFilter): boolean {
  const { kinds, operation, status, client_id, caused_by, test, failed, touches, q } = filter;
  return (
    (kinds === undefined || kinds.includes(entry.kind)) &&
    (operation === undefined || entry.operation === operation) &&
    (status === undefined || isStatus(entry.status, status)) &&
    (client_id === undefined || entry.client_id === client_id) &&
    (caused_by === undefined || entry.caused_by === caused_by) &&
    (test === undefined || entry.test === test) &&
    (!failed || entry.failed) &&
    (touches === undefined || entry.touches(touches)) &&
    (q === undefined || entry.says(q.toLowerCase()))
  );
}

/** `4xx` is a class. */
function isStatus(status: number | null | undefined, wanted: string): boolean {
  return /^[1-5]xx$/i.test(wanted) ? String(status).startsWith(wanted[0] ?? "") : String(status) === wanted;
}

// What happens in the worlds, as it can be watched: the entries of the log, and what listeners get as it happens.
import type { Fact } from "../domain/kernel/facts.ts";
import type { Instant } from "../domain/kernel/instant.ts";

/** Facts go to listeners as they are committed, and are no entries for themselves: whatever caused them lists them. */
export type EntryKind = "request" | "act" | "clock" | "delivery" | "world" | "fact";

/** `told` is a summary with its outcome in words. */
export type LogView = "full" | "summary" | "told";

/** So many facts, messages and ids a summary lists. */
export const MOST_LISTED = 20;

/** One thing that happened. What it shows is made only for who asks. */
export interface LogEntry {
  readonly kind: EntryKind;
  readonly id: string;
  readonly world: string;
  /** By the world's clock. */
  readonly at: Instant;
  /** The memory that it takes. */
  readonly bytes: number;
  readonly failed: boolean;
  /** From the console or the terminal, not from the integrator's program. */
  readonly by_hand?: boolean;
  /** Of a request its operation, of an act its name. */
  readonly operation?: string | undefined;
  readonly status?: number | null;
  readonly client_id?: string | undefined;
  /** The id of what caused it. */
  readonly caused_by?: string | undefined;
  readonly facts: readonly Fact[];
  /** Of a request: the parameters of its path, and its body as it was sent. */
  readonly named?: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
  /** Its place in the one order, given when it is added. */
  seq: number;
  /** Real time, when it is added. */
  wall: number;
  test: string | null;
  /** Whether it names or changed the record with this id. */
  touches(id: string): boolean;
  /** Whether it has this text, in lower case, in its path, a body, a code or a message. */
  says(text: string): boolean;
  /** As people see it, without the members that every entry has; `messages` are the ids of those that it caused. */
  show(view: LogView, messages: readonly string[]): object;
}

/** An entry before it is added: the log gives it the rest. */
export type LogDraft = Omit<LogEntry, "seq" | "wall" | "test"> & { seq?: number; wall?: number; test?: string | null };

export interface LogFilter {
  kinds?: readonly EntryKind[];
  /** After, and before, this `seq`. */
  since?: number;
  before?: number;
  operation?: string;
  /** "404", or "4xx" for all of them. */
  status?: string;
  client_id?: string;
  caused_by?: string;
  test?: string;
  failed?: boolean;
  touches?: string;
  q?: string;
  /** Also those of the worlds that are part of the run of the world. */
  run?: boolean;
}

interface Dropped {
  count: number;
  since: number;
}

/** The latest entries of one kind in one world; the position of an entry never changes. */
export interface LogPositions {
  /** The places of the first entry that is there, and of the next one. */
  readonly first: number;
  readonly next: number;
  /** The `seq` of the last entry that is gone. */
  readonly droppedSeq: number;
  at(position: number): LogEntry | undefined;
  /** The place of the first entry after this `seq`; of one that is gone, as near as it is known. */
  positionAfter(seq: number): number;
}

export interface Log {
  add(entry: LogDraft): void;
  /** The newest that fit, at most `limit`, oldest first. */
  list(world: string, filter: LogFilter, limit?: number): LogEntry[];
  /** The requests that have a fact of this record, oldest first. */
  requestsAbout(world: string, record: string): readonly LogEntry[];
  find(world: string, id: string): LogEntry | undefined;
  /** The request of the same client that had made before what this one made again, or asked for again without knowing. */
  twinOf(entry: LogEntry): LogEntry | undefined;
  fits(entry: LogEntry, filter: LogFilter): boolean;
  /** As people see it, with the messages that it caused. */
  show(entry: LogEntry, view: LogView): object;
  /** In full, and with its outcome in words. */
  showWhole(entry: LogEntry): object;
  count(world: string, kinds?: readonly EntryKind[]): number;
  dropped(world: string, kinds?: readonly EntryKind[], run?: boolean): Dropped;
  /** For a reader that keeps its position: of a world, or of all (`*`), with the facts. */
  rings(world: string): LogPositions[];
  ringOf(entry: Pick<LogEntry, "world" | "kind">): LogPositions;
  /** Names the test that is running in a world. */
  mark(world: string, name: string | null): void;
  /** Another world took the place of this one. */
  beginAnew(world: string): void;
  forget(world: string): void;
}

export interface ActivityStream {
  /** The next number in the one order of everything that happens here, given when it is finished; an earlier run gave lower ones. */
  next(): number;
  readonly latest: number;
  tell(entry: LogEntry): void;
  /** Returns a function that ends the listening. */
  listen(listener: (entry: LogEntry) => void): () => void;
  readonly listeners: number;
  /** Resolves with what `look` finds once it is enough, or with what there is when the time is up. */
  until<T>(read: () => T, enough: (found: T) => boolean, timeoutMs: number): Promise<T>;
  /** Nothing more will come: who waits is answered at once, with what there is. */
  end(): void;
}

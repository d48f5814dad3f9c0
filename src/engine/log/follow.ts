// Notifies readers of new entries: the live stream, and requests that wait for a match. A reader has one position and
// reads from the log, so a slow one needs no memory.

import { EventEmitter, once } from "node:events";
import type { ServerResponse } from "node:http";
import { Slice } from "../../platform/slices.ts";
import { fromMillis } from "../domain/kernel/instant.ts";
import type { StoredEntry } from "./entry.ts";
import type { ActivityLog } from "./log.ts";
import { createMatcher, type LogEntry, type LogFilter, type LogView } from "./view.ts";
import type { WorldLogs } from "./world-logs.ts";

interface Follower {
  /** Reads new entries. Returns true when there are more than the slice of time allows. */
  catchUp(slice: Slice): boolean;
}

/**
 * Calls followers at the end of a turn in which entries were appended. All followers share one slice of time per turn.
 */
export class Followers {
  readonly #followers = new Set<Follower>();
  /** Emits `news` to the requests that wait for entries. */
  readonly #waits = new EventEmitter().setMaxListeners(0);
  readonly #warn: (sentence: string) => void;
  #hasNews = false;
  #isScheduled = false;
  #isEnded = false;

  constructor(log: ActivityLog, warn: (sentence: string) => void) {
    this.#warn = warn;
    log.listen(() => {
      if (this.#followers.size === 0 && this.#waits.listenerCount("news") === 0) return;
      this.#hasNews = true;
      this.wake();
    });
  }

  get size(): number {
    return this.#followers.size;
  }

  /** Returns the function that removes the follower. */
  add(follower: Follower): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  /** Calls the followers soon, also without new entries. */
  wake(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#run());
  }

  #run(): void {
    this.#isScheduled = false;
    if (this.#hasNews) this.#waits.emit("news");
    this.#hasNews = false;
    const slice = new Slice();
    for (const follower of [...this.#followers]) {
      if (slice.isOver) break;
      // A follower with more to read moves to the end, so that the others are called before it in the next turn.
      if (this.#catchUp(follower, slice) && this.#followers.delete(follower)) this.#followers.add(follower);
    }
    if (slice.isOver) this.wake();
  }

  #catchUp(follower: Follower, slice: Slice): boolean {
    try {
      return follower.catchUp(slice);
    } catch (reason) {
      // This is the only place that can catch the error. The other followers continue.
      this.#followers.delete(follower);
      this.#warn(`A listener failed and was removed: ${String(reason)}. Please report it.`);
      return false;
    }
  }

  /** Resolves with the result of `read` once it is enough or the time is up. */
  async waitUntilEnough<T>(read: () => T, isEnough: (found: T) => boolean, timeoutMs: number): Promise<T> {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    try {
      for (;;) {
        const found = read();
        if (isEnough(found) || timeout.signal.aborted || this.#isEnded) return found;
        await once(this.#waits, "news", { signal: timeout.signal }).catch(() => {});
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends every wait, because no more entries will be appended. */
  end(): void {
    this.#isEnded = true;
    this.#waits.emit("news");
  }
}

/** The response of a stream. */
type Sink = Pick<ServerResponse, "destroyed" | "writableLength" | "write">;

interface StreamRequest {
  /** The id of a world; undefined for all. */
  world: string | undefined;
  view: LogView;
  /** The `seq` that the reader has reached; undefined to begin now. */
  since: number | undefined;
  filter: LogFilter;
}

/** Bytes that are buffered for a reader; the rest stays in the log. */
const MAX_UNREAD_BYTES = 1024 * 1024;
/** The number of entries that are read from the log at a time. */
const MAX_ENTRIES_PER_READ = 50;

/** Sends the entries of the log as server-sent events. */
export class StreamReader implements Follower {
  readonly #sink: Sink;
  readonly #logs: WorldLogs;
  readonly #request: StreamRequest;
  readonly #match: ReturnType<typeof createMatcher>;
  /** The `seq` of the last entry that was read. */
  #position: number;

  constructor(sink: Sink, logs: WorldLogs, request: StreamRequest) {
    this.#sink = sink;
    this.#logs = logs;
    this.#request = request;
    this.#match = createMatcher(request.filter);
    const { since = logs.log.lastSeq, world } = request;
    // The log of a world begins when the world was last replaced.
    this.#position = world === undefined ? since : Math.max(since, logs.log.findMarks(world).logStart);
  }

  catchUp(slice: Slice): boolean {
    const { log } = this.#logs;
    for (;;) {
      if (!this.#canSend()) return false;
      // The gap is reported before the next entry, so that the reader sees where it is.
      this.#reportGap();
      const found = log.listAfter(this.#position, { world: this.#request.world, limit: MAX_ENTRIES_PER_READ });
      for (const entry of found) {
        if (!this.#canSend()) return false;
        if (slice.isOver) return true;
        this.#send(entry);
        this.#position = entry.seq;
      }
      if (found.length < MAX_ENTRIES_PER_READ) {
        this.#position = log.lastSeq;
        return false;
      }
    }
  }

  #canSend(): boolean {
    return !this.#sink.destroyed && this.#sink.writableLength <= MAX_UNREAD_BYTES;
  }

  #reportGap(): void {
    const { log } = this.#logs;
    const { world } = this.#request;
    const { count, last: since } =
      world === undefined ? { count: Number.POSITIVE_INFINITY, last: log.firstPoint } : log.findMarks(world).dropped;
    const missed = since - this.#position;
    if (missed <= 0) return;
    this.#position = since;
    this.#sink.write(formatEvent("gap", { dropped: { count: Math.min(missed, count), since } }));
  }

  #send(stored: StoredEntry): void {
    const entry = stored.kind === "state" ? undefined : this.#match(stored);
    if (!entry) return;
    const { kind, seq } = entry;
    const { view } = this.#request;
    this.#sink.write(kind === "fact" ? formatFacts(entry) : formatEvent(kind, this.#logs.show(entry, view), seq));
  }
}

/** Formats one server-sent event. JSON has no line breaks, so the data is one line. */
export function formatEvent(event: string, data: object, id?: number): string {
  const idLine = id === undefined ? "" : `id: ${id}\n`;
  return `event: ${event}\n${idLine}data: ${JSON.stringify(data)}\n\n`;
}

/** Only the last event has an id, so a reader that disconnects in between receives all of them again. */
function formatFacts(entry: LogEntry & { cause?: unknown }): string {
  const { seq, at, wall, world, facts, cause } = entry;
  const commit = { seq, at, wall_at: fromMillis(wall), world, cause };
  return facts
    .map((fact, index) => formatEvent("fact", { ...commit, ...fact }, index === facts.length - 1 ? seq : undefined))
    .join("");
}

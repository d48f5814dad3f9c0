// Notifies readers of new entries: the live stream, and requests that wait for a match. A reader has one position and
// reads from the log, so a slow one needs no memory.

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

/** Calls followers at the end of a turn in which entries were appended. All followers share one slice of time per turn. */
export class Followers {
  readonly #followers = new Set<Follower>();
  readonly #behind = new Set<Follower>();
  /** Functions that wake a request which waits for entries. */
  readonly #waits = new Set<() => void>();
  #isEnded = false;
  readonly #warn: (sentence: string) => void;
  #hasNews = false;
  #isScheduled = false;

  constructor(log: ActivityLog, warn: (sentence: string) => void) {
    this.#warn = warn;
    log.listen(() => {
      if (this.#followers.size === 0 && this.#waits.size === 0) return;
      this.#hasNews = true;
      this.#schedule();
    });
  }

  get size(): number {
    return this.#followers.size;
  }

  /** Returns the function that removes the follower. */
  add(follower: Follower): () => void {
    this.#followers.add(follower);
    return () => {
      this.#followers.delete(follower);
      this.#behind.delete(follower);
    };
  }

  wake(follower: Follower): void {
    this.#behind.add(follower);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#run());
  }

  #run(): void {
    this.#isScheduled = false;
    const slice = new Slice();
    // Followers that are left over from the last turn are first in the set.
    if (this.#hasNews) for (const follower of this.#followers) this.#behind.add(follower);
    if (this.#hasNews) for (const wake of [...this.#waits]) wake();
    this.#hasNews = false;
    for (const follower of [...this.#behind]) {
      if (slice.isOver) break;
      this.#behind.delete(follower);
      if (this.#followers.has(follower) && this.#catchUp(follower, slice)) this.#behind.add(follower);
    }
    if (this.#behind.size > 0) this.#schedule();
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
    const end = performance.now() + timeoutMs;
    for (;;) {
      const found = read();
      const remainingMs = end - performance.now();
      if (isEnough(found) || remainingMs <= 0 || this.#isEnded) return found;
      await this.#waitForNews(remainingMs);
    }
  }

  #waitForNews(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waits.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, timeoutMs);
      this.#waits.add(wake);
    });
  }

  /** Ends every wait, because no more entries will be appended. */
  end(): void {
    this.#isEnded = true;
    for (const wake of [...this.#waits]) wake();
  }
}

/** The response of a stream. */
interface Sink {
  readonly destroyed: boolean;
  /** Bytes that the reader has not received yet. */
  readonly writableLength: number;
  write(text: string): unknown;
}

interface StreamRequest {
  /** The id of a world, or `*` for all. */
  world: string;
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
  readonly #log: ActivityLog;
  readonly #logs: WorldLogs;
  readonly #request: StreamRequest;
  readonly #match: ReturnType<typeof createMatcher>;
  /** The `seq` of the last entry that was read. */
  #position: number;

  constructor(sink: Sink, { log, logs }: { log: ActivityLog; logs: WorldLogs }, request: StreamRequest) {
    this.#sink = sink;
    this.#log = log;
    this.#logs = logs;
    this.#request = request;
    this.#match = createMatcher(request.filter);
    const { since = log.lastSeq, world } = request;
    // The log of a world begins when the world was last replaced.
    this.#position = world === "*" ? since : Math.max(since, log.findMarks(world).logStart);
  }

  catchUp(slice: Slice): boolean {
    const { world } = this.#request;
    for (;;) {
      // The gap is reported before the next entry, so that the reader sees where it is.
      if (this.#canSend()) this.#reportGap();
      const found = this.#log.listAfter(this.#position, {
        ...(world === "*" ? {} : { world }),
        limit: MAX_ENTRIES_PER_READ,
      });
      for (const entry of found) {
        if (!this.#canSend()) return false;
        if (slice.isOver) return true;
        this.#send(entry);
        this.#position = entry.seq;
      }
      if (found.length < MAX_ENTRIES_PER_READ) {
        this.#position = this.#log.lastSeq;
        return false;
      }
    }
  }

  #canSend(): boolean {
    return !this.#sink.destroyed && this.#sink.writableLength <= MAX_UNREAD_BYTES;
  }

  #reportGap(): void {
    const { world } = this.#request;
    const { dropped } = this.#log.findMarks(world);
    const since = world === "*" ? this.#log.firstPoint : dropped.last;
    const missed = since - this.#position;
    if (missed <= 0) return;
    this.#position = since;
    const count = world === "*" ? missed : Math.min(missed, dropped.count);
    this.#sink.write(formatEvent("gap", { dropped: { count, since } }));
  }

  #send(stored: StoredEntry): void {
    const entry = stored.kind === "state" ? undefined : this.#match(stored);
    if (!entry) return;
    const { kind, seq } = entry;
    const event =
      kind === "fact" ? formatFacts(entry) : formatEvent(kind, this.#logs.show(entry, this.#request.view), seq);
    this.#sink.write(event);
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

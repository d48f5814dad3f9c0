// Tells readers of new entries: the live stream, and requests that wait until something matches. A reader has one position, and is served
// from the log, so a slow one costs no memory.

import { Slice } from "../../platform/slices.ts";
import { fromMillis } from "../domain/kernel/instant.ts";
import type { StoredEntry } from "./entry.ts";
import type { ActivityLog } from "./log.ts";
import { fits, type ListedKind, type LogEntry, type LogFilter, type LogView, readCommit, readHead } from "./view.ts";
import type { WorldLogs } from "./world-logs.ts";

interface Follower {
  /** Reads what is new; true when there is more to read than the slice of time allows. */
  catchUp(slice: Slice): boolean;
}

/** Calls followers at the end of a turn in which entries were appended. A turn has a slice of time for all of them. */
export class Followers {
  readonly #followers = new Set<Follower>();
  readonly #behind = new Set<Follower>();
  /** Each ends a wait with what there is. */
  readonly #waits = new Set<() => void>();
  readonly #warn: (sentence: string) => void;
  #hasNews = false;
  #isScheduled = false;

  constructor(log: ActivityLog, warn: (sentence: string) => void) {
    this.#warn = warn;
    log.listen(() => {
      if (this.#followers.size === 0) return;
      this.#hasNews = true;
      this.#schedule();
    });
  }

  get size(): number {
    return this.#followers.size;
  }

  /** Returns the function that ends it. */
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
    // Those that are left over from the last turn come first.
    if (this.#hasNews) for (const follower of this.#followers) this.#behind.add(follower);
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
      // Nothing else could catch it, and the others continue.
      this.#followers.delete(follower);
      this.#warn(`A listener failed and was removed: ${String(reason)}. Please report it.`);
      return false;
    }
  }

  /** Resolves with what `read` finds once it is enough, or with what there is when the time is up. */
  waitUntil<T>(read: () => T, isEnough: (found: T) => boolean, timeoutMs: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const first = read();
      if (isEnough(first) || timeoutMs <= 0) return resolve(first);
      const look = (isLast: boolean): void => {
        try {
          const found = read();
          if (!isLast && !isEnough(found)) return;
          resolve(found);
        } catch (reason) {
          reject(reason);
        }
        clearTimeout(timer);
        stop();
        this.#waits.delete(end);
      };
      const end = () => look(true);
      const timer = setTimeout(end, timeoutMs);
      const stop = this.add({
        catchUp() {
          look(false);
          return false;
        },
      });
      this.#waits.add(end);
    });
  }

  /** No more entries will be appended: every wait ends at once. */
  end(): void {
    for (const end of this.#waits) end();
  }
}

/** The response of a stream. */
interface Sink {
  readonly destroyed: boolean;
  /** Bytes that wait for the reader. */
  readonly writableLength: number;
  write(text: string): unknown;
}

export interface StreamRequest {
  /** The id of a world, or `*` for all. */
  world: string;
  view: LogView;
  /** The `seq` that the reader has reached; undefined: it begins now. */
  since: number | undefined;
  filter: LogFilter;
}

/** Bytes that wait for a reader; the rest waits in the log. */
const MOST_UNREAD = 1024 * 1024;
/** The number of entries that are read from the log at a time. */
const STRIDE = 50;

/** Sends the entries of the log as server-sent events. */
export class StreamReader implements Follower {
  readonly #sink: Sink;
  readonly #log: ActivityLog;
  readonly #logs: WorldLogs;
  readonly #request: StreamRequest;
  /** The `seq` of the last entry that was looked at. */
  #position: number;

  constructor(sink: Sink, { log, logs }: { log: ActivityLog; logs: WorldLogs }, request: StreamRequest) {
    this.#sink = sink;
    this.#log = log;
    this.#logs = logs;
    this.#request = request;
    const { since = log.lastSeq, world } = request;
    // What happened before the world was replaced is not its log.
    this.#position = world === "*" ? since : Math.max(since, log.findMarks(world).logStart);
  }

  catchUp(slice: Slice): boolean {
    const { world } = this.#request;
    for (;;) {
      // Before the next entry, so that the reader sees where the gap is.
      if (this.#canSend()) this.#reportGap();
      const found = this.#log.since(this.#position, { ...(world === "*" ? {} : { world }), limit: STRIDE });
      for (const entry of found) {
        if (!this.#canSend()) return false;
        if (slice.isOver) return true;
        this.#send(entry);
        this.#position = entry.seq;
      }
      if (found.length < STRIDE) {
        this.#position = this.#log.lastSeq;
        return false;
      }
    }
  }

  #canSend(): boolean {
    return !this.#sink.destroyed && this.#sink.writableLength <= MOST_UNREAD;
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
    const { view, filter } = this.#request;
    const kind = stored.kind === "commit" ? "fact" : stored.kind;
    if (kind === "state" || (filter.kinds && !filter.kinds.includes(kind as ListedKind))) return;
    const entry = kind === "fact" ? readCommit(stored) : readHead(stored);
    if (!fits(entry, filter)) return;
    const { seq } = entry;
    this.#sink.write(kind === "fact" ? formatFacts(entry) : formatEvent(kind, this.#logs.show(entry, view), seq));
  }
}

/** One server-sent event. JSON has no line breaks, so the data is one line. */
export function formatEvent(event: string, data: object, id?: number): string {
  const idLine = id === undefined ? "" : `id: ${id}\n`;
  return `event: ${event}\n${idLine}data: ${JSON.stringify(data)}\n\n`;
}

/** Only the last one has an id: a reader that is cut off among them gets them all again. */
function formatFacts(entry: LogEntry & { cause?: unknown }): string {
  const { seq, at, wall, world, facts, cause } = entry;
  const commit = { seq, at, wall_at: fromMillis(wall), world, cause };
  return facts
    .map((fact, index) => formatEvent("fact", { ...commit, ...fact }, index === facts.length - 1 ? seq : undefined))
    .join("");
}

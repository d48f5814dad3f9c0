// The stream: the log as server-sent events. The log itself is what a slow reader is served from when it reads again, so it costs no
// memory of its own; what the log has dropped by then is said by a `gap`.
import type { ServerResponse } from "node:http";
import type { HistoryPort, LogEntry, LogFilter, LogPositions, LogView, RequestsPort } from "../../app/application.ts";
import { Crowd } from "./stream-crowd.ts";
import { eventOf } from "./stream-texts.ts";

interface Following {
  application: HistoryPort & RequestsPort;
  /** The id of a world, or `*` for all. */
  world: string;
  view: LogView;
  /** The `seq` that the reader has reached; undefined: it begins now. */
  since: number | undefined;
  filter: LogFilter;
}

/** Proxies cut connections that are silent for a minute or less. */
const HEARTBEAT_MS = 15_000;
/** Bytes that wait for a reader; the rest waits in the log. */
const MOST_UNREAD = 1024 * 1024;

/** So many times as long as for another answer (`http/serve.ts`): a reader may stand still at a breakpoint. */
const PATIENCE = 8;

/** By application: two sandboxes in one process share nothing. */
const crowds = new WeakMap<HistoryPort, Crowd>();

export const EVENT_STREAM = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" };

/** A stream that may have nothing to say for long: its reader sees that it is there. Ends with its reader. */
export function keepOpen(response: ServerResponse, ended: () => void): void {
  // Runs only while something waits for the reader, since every byte written begins it anew.
  const { socket } = response;
  socket?.setTimeout(PATIENCE * (socket.timeout ?? 0));
  const beat = setInterval(() => {
    if (response.writableLength === 0) response.write(": still here\n\n");
  }, HEARTBEAT_MS);
  response.on("close", () => {
    clearInterval(beat);
    ended();
  });
}

/** Writes until the reader goes. The head of the response has been written. */
export function followLog(response: ServerResponse, following: Following): void {
  const { application, world } = following;
  const crowd = crowds.get(application) ?? new Crowd(application);
  crowds.set(application, crowd);
  const reader = new StreamReader(response, following, crowd);
  const stop = application.activity.listen((entry) => {
    if (world === "*" || entry.world === world) reader.take(entry);
  });
  response.on("drain", () => reader.catchUp());
  keepOpen(response, stop);
  // After it listens, so that nothing falls between the past and the present.
  reader.begin();
}

class StreamReader {
  readonly #response: ServerResponse;
  readonly #following: Following;
  readonly #crowd: Crowd;
  /** By ring: the position of the next entry that is to be sent. */
  readonly #positions = new WeakMap<LogPositions, number>();
  #isBehind = false;

  constructor(response: ServerResponse, following: Following, crowd: Crowd) {
    this.#response = response;
    this.#following = following;
    this.#crowd = crowd;
  }

  begin(): void {
    const { application, since } = this.#following;
    for (const ring of this.#rings())
      this.#positions.set(ring, since === undefined ? ring.next : ring.positionAfter(since));
    this.#write("hello", { instance: application.instance, seq: application.activity.latest });
    if (since !== undefined) this.catchUp();
  }

  /** A new entry, the latest of its ring. */
  take(entry: LogEntry): void {
    // It is in the log, from which the reader catches up.
    if (this.#isBehind) return;
    if (this.#crowd.isFull) {
      this.#wait();
      return;
    }
    const ring = this.#following.application.log.ringOf(entry);
    this.#send(entry);
    this.#positions.set(ring, ring.next);
    this.#isBehind = this.#isFull();
  }

  /** Sends what is in the log and was not sent yet, in order, until the reader is behind again. */
  catchUp(): void {
    const rings = this.#rings();
    for (;;) {
      // It may go at any time.
      if (this.#response.destroyed) return;
      this.#isBehind = this.#isFull();
      if (this.#isBehind) return;
      if (this.#crowd.isFull) {
        this.#wait();
        return;
      }
      // Before the next entry, so that the reader sees where the gap is.
      this.#tellGap(rings);
      const ring = this.#earliest(rings);
      if (!ring) return;
      const position = this.#positionIn(ring);
      this.#positions.set(ring, position + 1);
      this.#send(ring.at(position) as LogEntry);
    }
  }

  #wait(): void {
    this.#isBehind = true;
    this.#crowd.wait(this);
  }

  #isFull = (): boolean => this.#response.writableLength > MOST_UNREAD;

  #rings = (): LogPositions[] => this.#following.application.log.rings(this.#following.world);

  #positionIn = (ring: LogPositions): number => this.#positions.get(ring) ?? 0;

  #earliest(rings: readonly LogPositions[]): LogPositions | undefined {
    let [earliest, least]: [LogPositions | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
    for (const ring of rings) {
      const seq = ring.at(this.#positionIn(ring))?.seq ?? Number.POSITIVE_INFINITY;
      if (seq < least) [earliest, least] = [ring, seq];
    }
    return earliest;
  }

  /** What was dropped from the log before it was sent. */
  #tellGap(rings: readonly LogPositions[]): void {
    let [count, since] = [0, 0];
    for (const ring of rings) {
      const missed = ring.first - this.#positionIn(ring);
      if (missed <= 0) continue;
      count += missed;
      since = Math.max(since, ring.droppedSeq);
      this.#positions.set(ring, ring.first);
    }
    if (count > 0) this.#write("gap", { dropped: { count, since } });
  }

  #send(entry: LogEntry): void {
    const { application, view, filter } = this.#following;
    if (application.log.fits(entry, filter)) this.#response.write(this.#crowd.texts.of(entry, view));
  }

  #write(event: string, data: object): void {
    this.#response.write(eventOf(event, data));
  }
}

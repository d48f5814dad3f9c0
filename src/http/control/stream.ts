// The stream: the log as server-sent events. The log itself is what a slow reader is served from when it reads again, so it costs no
// memory of its own; what the log has dropped by then is said by a `gap`.
import type { ServerResponse } from "node:http";
import type { Application, LogEntry, LogFilter, LogPlaces, View } from "../../app/application.ts";
import { fromMillis } from "../../domain/kernel/instant.ts";

export interface Following {
  application: Application;
  /** The id of a world, or `*` for all. */
  world: string;
  view: View;
  /** The `seq` that the reader has reached; undefined: it begins now. */
  since: number | undefined;
  filter: LogFilter;
}

const HEARTBEAT_MS = 15_000;
/** Bytes that wait for a reader; the rest waits in the log. */
const MOST_UNREAD = 1024 * 1024;

export function followLog(response: ServerResponse, following: Following): void {
  const { application, world } = following;
  const reader = new Reader(response, following);
  // A reader that reads nothing for a while is slow, and not gone.
  response.socket?.setTimeout(0);
  const beat = setInterval(() => reader.beat(), HEARTBEAT_MS);
  const stop = application.activity.listen((entry) => {
    if (world === "*" || entry.world === world) reader.take(entry);
  });
  response.on("drain", () => reader.catchUp());
  response.on("close", () => {
    clearInterval(beat);
    stop();
  });
  reader.begin();
}

class Reader {
  readonly #response: ServerResponse;
  readonly #following: Following;
  /** By ring: the place of the next entry that is to be sent. */
  readonly #places = new WeakMap<LogPlaces, number>();
  #isBehind = false;

  constructor(response: ServerResponse, following: Following) {
    this.#response = response;
    this.#following = following;
  }

  begin(): void {
    const { application, since } = this.#following;
    for (const ring of this.#rings()) this.#places.set(ring, since === undefined ? ring.next : ring.placeAfter(since));
    this.#write("hello", { instance: application.instance, seq: application.activity.latest });
    if (since !== undefined) this.catchUp();
  }

  beat(): void {
    if (!this.#isBehind) this.#response.write(": still here\n\n");
  }

  /** A new entry, the latest of its ring. */
  take(entry: LogEntry): void {
    if (this.#isBehind) return;
    const ring = this.#following.application.log.ringOf(entry);
    this.#send(entry);
    this.#places.set(ring, ring.next);
    this.#isBehind = this.#isFull();
  }

  /** Sends what is in the log and was not sent yet, in order, until the reader is behind again. */
  catchUp(): void {
    const rings = this.#rings();
    for (;;) {
      if (this.#response.destroyed) return;
      this.#isBehind = this.#isFull();
      if (this.#isBehind) return;
      this.#tellGap(rings);
      const ring = this.#earliest(rings);
      if (!ring) return;
      const place = this.#placeIn(ring);
      this.#places.set(ring, place + 1);
      this.#send(ring.at(place) as LogEntry);
    }
  }

  #isFull = (): boolean => this.#response.writableLength > MOST_UNREAD;

  #rings = (): LogPlaces[] => this.#following.application.log.rings(this.#following.world);

  #placeIn = (ring: LogPlaces): number => this.#places.get(ring) ?? 0;

  #earliest(rings: readonly LogPlaces[]): LogPlaces | undefined {
    let [earliest, least]: [LogPlaces | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
    for (const ring of rings) {
      const seq = ring.at(this.#placeIn(ring))?.seq ?? Number.POSITIVE_INFINITY;
      if (seq < least) [earliest, least] = [ring, seq];
    }
    return earliest;
  }

  /** What was dropped from the log before it was sent. */
  #tellGap(rings: readonly LogPlaces[]): void {
    let [count, since] = [0, 0];
    for (const ring of rings) {
      const missed = ring.first - this.#placeIn(ring);
      if (missed <= 0) continue;
      count += missed;
      since = Math.max(since, ring.droppedSeq);
      this.#places.set(ring, ring.first);
    }
    if (count > 0) this.#write("gap", { dropped: { count, since } });
  }

  #send(entry: LogEntry): void {
    const { application, view, filter } = this.#following;
    const { kind, seq } = entry;
    if (!application.log.fits(entry, filter)) return;
    if (kind === "fact") this.#sendFacts(entry);
    else this.#write(kind, application.log.show(entry, view), seq);
  }

  /** Only the last one has an id: a reader that is cut off among them gets them all again. */
  #sendFacts(entry: LogEntry): void {
    const { seq, at, wall, world, facts } = entry;
    const whose = { seq, at, wall_at: fromMillis(wall), world, ...entry.show("full", []) };
    for (const [index, fact] of facts.entries())
      this.#write("fact", { ...whose, ...fact }, index === facts.length - 1 ? seq : undefined);
  }

  #write(event: string, data: object, id?: number): void {
    const place = id === undefined ? "" : `id: ${id}\n`;
    this.#response.write(`event: ${event}\n${place}data: ${JSON.stringify(data)}\n\n`);
  }
}

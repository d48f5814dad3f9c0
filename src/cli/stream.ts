// Reads the event stream of a world, and reopens it after the sandbox was restarted.
import { setTimeout as pause } from "node:timers/promises";
import { readServerEvents, type ServerEvent, type ServerEvents } from "../client/server-events.ts";
import type { operations } from "../contract/generated/control.ts";
import type { Client } from "./client.ts";
import { Failure } from "./failure.ts";
import { option } from "./options.ts";

/** Selects the events, and the position after which the stream begins. */
type StreamQuery = NonNullable<operations["streamActivity"]["parameters"]["query"]>;

/**
 * Resolves when the stream is open, so that no later event is missed. The stream ends when the sandbox stops or the signal aborts. Rejects
 * with a Failure if the stream can't be opened.
 */
export async function follow(client: Client, signal: AbortSignal, query: StreamQuery = {}): Promise<ServerEvents> {
  const call = client.control.GET("/_sandbox/stream", { params: { query }, signal, parseAs: "stream" });
  const body = await client.ask(call);
  return readServerEvents(body as ReadableStream<Uint8Array> | null, signal);
}

export const reconnectOption = option.number(
  "reconnect",
  "N",
  "Seconds to wait for a stopped sandbox before exiting with code 1.",
  { default: 60 },
);

/** The wait between two attempts doubles up to the longest. */
const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 2000;

interface FollowOptions {
  signal: AbortSignal;
  query?: StreamQuery;
  say(text: string): void;
  /** Called each time the stream is open, before the first event is read. */
  begin?(): Promise<void>;
  take(happening: ServerEvent): void;
  /** The time to wait for a stopped sandbox, in seconds. */
  patience: number;
}

/**
 * Follows the stream until the signal aborts. A reopened stream continues after the last event. Rejects with a Failure if the sandbox stays
 * stopped.
 */
export async function followAcrossRestarts(client: Client, following: FollowOptions): Promise<void> {
  const { signal, say, take, patience } = following;
  // `query` follows the position, so that a reopened stream continues after the last event.
  let query = following.query ?? {};
  let stream: ServerEvents | undefined = await openStream(client, following);
  while (stream) {
    for await (const happening of stream) {
      query = toNextQuery(happening, query);
      take(happening);
    }
    if (signal.aborted) return;
    say(`The sandbox at ${client.url} has stopped. Waiting up to ${patience} s for it to start again.`);
    stream = await reopenStream(client, { ...following, query });
    if (stream) say("The sandbox is back.");
  }
}

/** A stream that did not begin at a position does not continue at one. */
function toNextQuery({ type, data, id }: ServerEvent, query: StreamQuery): StreamQuery {
  if (query.since === undefined) return query;
  // The instance lets the sandbox check that the position belongs to its current log.
  if (type === "hello") return { ...query, instance: (data as { instance: string }).instance };
  return id === undefined ? query : { ...query, since: id };
}

/**
 * Opens the stream and calls `begin`. If one of them fails, the stream is closed, because it would keep the process running. The result of
 * AbortSignal.any may be garbage-collected, so the attempt has its own controller.
 */
async function openStream(client: Client, { signal, begin, query }: FollowOptions): Promise<ServerEvents> {
  const attempt = new AbortController();
  if (signal.aborted) attempt.abort();
  signal.addEventListener("abort", () => attempt.abort(), { once: true, signal: attempt.signal });
  try {
    const stream = await follow(client, attempt.signal, query);
    await begin?.();
    return stream;
  } catch (reason) {
    attempt.abort();
    throw reason;
  }
}

/** Returns undefined when the signal aborts. */
async function reopenStream(client: Client, following: FollowOptions): Promise<ServerEvents | undefined> {
  const { signal, patience } = following;
  const until = performance.now() + patience * 1000;
  let last = "";
  for (let wait = FIRST_WAIT_MS; performance.now() < until && !signal.aborted; wait = Math.min(2 * wait, MAX_WAIT_MS)) {
    await pause(wait, undefined, { signal }).catch(() => undefined);
    try {
      return await openStream(client, following);
    } catch (reason) {
      // Any other error is not caused by a stopped sandbox.
      if (!signal.aborted && !(reason instanceof Failure)) throw reason;
      last = ` ${(reason as Error).message}`;
    }
  }
  if (signal.aborted) return undefined;
  throw new Failure(`The sandbox did not start again within ${patience} s.${last}`);
}

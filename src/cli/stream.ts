// The event stream of a world, read as server-sent events; and opened again when the sandbox was stopped and is started again.
import { setTimeout as pause } from "node:timers/promises";
import { readServerEvents, type ServerEvent, type ServerEvents } from "../client/server-events.ts";
import type { operations } from "../contract/generated/control.ts";
import type { Client } from "./client.ts";
import { Failure } from "./failure.ts";
import { option } from "./options.ts";

/** Which events are wanted, and after which of them the stream begins. */
type StreamQuery = NonNullable<operations["streamActivity"]["parameters"]["query"]>;

/**
 * Ends when the sandbox stops or the signal aborts. Resolves once the stream is open, so that no later event is missed.
 * Rejects with a Failure where it can't be opened.
 */
export async function follow(client: Client, signal: AbortSignal, query: StreamQuery = {}): Promise<ServerEvents> {
  const call = client.control.GET("/_sandbox/stream", { params: { query }, signal, parseAs: "stream" });
  const body = await client.ask(call);
  return readServerEvents(body as ReadableStream<Uint8Array> | null, signal);
}

export const reconnectOption = option.number(
  "reconnect",
  "N",
  "Seconds to wait for a sandbox that has stopped; then end with 1.",
  { default: 60 },
);

/** Between two attempts; it doubles up to the longest. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2000;

interface FollowOptions {
  signal: AbortSignal;
  query?: StreamQuery;
  say(text: string): void;
  /** Called once the stream is open, before anything is read from it. */
  begin?(): Promise<void>;
  take(happening: ServerEvent): void;
  /** How long the sandbox may stay away, in seconds. */
  patience: number;
}

/** Until the signal aborts. A sandbox that stays away too long is a Failure. What is opened again goes on where it was cut off. */
export async function followAcrossRestarts(client: Client, following: FollowOptions): Promise<void> {
  const { signal, say, begin, take, patience } = following;
  // Grows with each event, so that a reopened stream goes on behind the last one.
  let query = following.query ?? {};
  let stream: ServerEvents | undefined = await follow(client, signal, query);
  await begin?.();
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

/** Only a stream that began at a place goes on from one. */
function toNextQuery({ type, data, id }: ServerEvent, query: StreamQuery): StreamQuery {
  if (query.since === undefined) return query;
  // With the instance the sandbox can tell whether the position is still of its own log.
  if (type === "hello") return { ...query, instance: (data as { instance: string }).instance };
  return id === undefined ? query : { ...query, since: id };
}

/** Undefined when the signal aborts. */
async function reopenStream(
  client: Client,
  { signal, begin, patience, query }: FollowOptions,
): Promise<ServerEvents | undefined> {
  const until = performance.now() + patience * 1000;
  let last = "";
  for (let wait = FIRST_WAIT_MS; performance.now() < until; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    await pause(wait, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return undefined;
    const attempt = new AbortController();
    // Not AbortSignal.any: what it makes may be collected, and the stream would then never hear of the end.
    signal.addEventListener("abort", () => attempt.abort(), { once: true, signal: attempt.signal });
    try {
      const stream = await follow(client, attempt.signal, query);
      await begin?.();
      return stream;
    } catch (reason) {
      attempt.abort();
      if (signal.aborted) return undefined;
      // Only what a sandbox that is away causes is waited out.
      if (!(reason instanceof Failure)) throw reason;
      last = ` ${reason.message}`;
    }
  }
  throw new Failure(`The sandbox stayed away for ${patience} s.${last}`);
}

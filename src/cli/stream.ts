// The event stream of a world, read as server-sent events; and opened again when the sandbox was stopped and is started again.
import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "./client.ts";
import { Failure } from "./fault.ts";
import type { Option } from "./options.ts";

export interface Happening {
  type: string;
  data: unknown;
}

export type Stream = AsyncGenerator<Happening>;

/** Ends when the sandbox stops or the signal aborts. Resolves once the stream is open, so that no later event is missed. */
export async function follow(client: Client, signal: AbortSignal): Promise<Stream> {
  const body = await client.ask(client.control.GET("/_sandbox/stream", { signal, parseAs: "stream" }));
  return happenings(body as ReadableStream<Uint8Array> | null, signal);
}

export const reconnectOption: Option = {
  name: "reconnect",
  kind: "number",
  placeholder: "N",
  default: 60,
  meaning: "Seconds to wait for a sandbox that has stopped; then end with 1.",
};

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2000;

export interface Following {
  signal: AbortSignal;
  say(text: string): void;
  /** Called once the stream is open, before anything is read from it. */
  begin(): Promise<void>;
  take(happening: Happening): void;
  /** How long the sandbox may stay away, in seconds. */
  patience: number;
}

/** Until the signal aborts. A sandbox that stays away too long is a Failure. */
export async function followAcrossRestarts(client: Client, following: Following): Promise<void> {
  const { signal, say, begin, take, patience } = following;
  let stream: Stream | undefined = await follow(client, signal);
  await begin();
  while (stream) {
    for await (const happening of stream) take(happening);
    if (signal.aborted) return;
    say(`The sandbox at ${client.url} has stopped. Waiting up to ${patience} s for it to start again.`);
    stream = await reopened(client, following);
    if (stream) say("The sandbox is back.");
  }
}

/** Undefined when the signal aborts. */
async function reopened(client: Client, { signal, begin, patience }: Following): Promise<Stream | undefined> {
  const until = performance.now() + patience * 1000;
  let last = "";
  for (let wait = FIRST_WAIT_MS; performance.now() < until; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    await pause(wait, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return undefined;
    const attempt = new AbortController();
    try {
      const stream = await follow(client, AbortSignal.any([signal, attempt.signal]));
      await begin();
      return stream;
    } catch (reason) {
      attempt.abort();
      if (signal.aborted) return undefined;
      if (!(reason instanceof Failure)) throw reason;
      last = ` ${reason.message}`;
    }
  }
  throw new Failure(`The sandbox stayed away for ${patience} s.${last}`);
}

async function* happenings(body: ReadableStream<Uint8Array> | null, signal: AbortSignal): Stream {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const piece of body ?? []) {
      text += decoder.decode(piece, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) yield* readBlock(block);
    }
  } catch (error) {
    // The connection ended: by us, or because the sandbox has stopped.
    if (!signal.aborted && !(error instanceof TypeError)) throw error;
  }
}

export function readBlock(block: string): Happening[] {
  const members = block.split("\n").map((line) => /^(\w+): ?(.*)$/.exec(line));
  const all = (name: string) => members.filter((member) => member?.[1] === name).map((member) => member?.[2] ?? "");
  const data = all("data");
  return data.length > 0 ? [{ type: all("event")[0] ?? "message", data: JSON.parse(data.join("\n")) as unknown }] : [];
}

// The event stream of a world, read as server-sent events; and opened again when the sandbox was stopped and is started again.
import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "./client.ts";
import { Failure } from "./fault.ts";

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

/** How long a sandbox may stay away. */
export const AWAY_MS = 60_000;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2000;

export interface Following {
  signal: AbortSignal;
  say(text: string): void;
  /** Called with each stream once it is open; resolves when it has ended. */
  read(stream: Stream): Promise<void>;
  awayMs?: number;
}

/** Until the signal aborts. A sandbox that stays away too long is a Failure. */
export async function followAcrossRestarts(client: Client, { signal, say, read, awayMs }: Following): Promise<void> {
  let stream = await follow(client, signal);
  for (;;) {
    await read(stream);
    if (signal.aborted) return;
    say(`The sandbox at ${client.url} has stopped. Waiting for it to start again.`);
    const next = await reopened(client, signal, awayMs ?? AWAY_MS);
    if (!next) return;
    stream = next;
    say("The sandbox is back.");
  }
}

/** Undefined when the signal aborts. */
async function reopened(client: Client, signal: AbortSignal, awayMs: number): Promise<Stream | undefined> {
  const until = performance.now() + awayMs;
  for (let wait = FIRST_WAIT_MS; performance.now() < until; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    await pause(wait, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return undefined;
    try {
      return await follow(client, signal);
    } catch (reason) {
      if (signal.aborted) return undefined;
      if (!(reason instanceof Failure)) throw reason;
    }
  }
  throw new Failure(`The sandbox at ${client.url} has stopped, and did not start again within ${awayMs / 1000} s.`);
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

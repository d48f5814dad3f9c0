// The event stream of a world, read as server-sent events.
import type { Client } from "./client.ts";

export interface Happening {
  type: string;
  data: unknown;
}

/** Ends when the sandbox stops or the signal aborts. Resolves once the stream is open, so that no later event is missed. */
export async function follow(client: Client, signal: AbortSignal): Promise<AsyncGenerator<Happening>> {
  const body = await client.ask(client.control.GET("/_sandbox/stream", { signal, parseAs: "stream" }));
  return happenings(body as ReadableStream<Uint8Array> | null, signal);
}

async function* happenings(body: ReadableStream<Uint8Array> | null, signal: AbortSignal): AsyncGenerator<Happening> {
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

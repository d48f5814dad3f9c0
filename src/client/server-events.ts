// Server-sent events, read from the body of a response.

export interface ServerEvent {
  type: string;
  data: unknown;
  /** Its position in the log. */
  id?: number;
}

export type ServerEvents = AsyncGenerator<ServerEvent>;

/** The reader is ended by hand: the signal that `fetch` makes of ours may be collected as garbage, and would then never tell. */
export async function* readServerEvents(body: ReadableStream<Uint8Array> | null, signal: AbortSignal): ServerEvents {
  const reader = body?.getReader();
  const end = () => void reader?.cancel().catch(() => undefined);
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
      text += decoder.decode(piece.value, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) yield* readBlock(block);
    }
  } catch (error) {
    // The connection ended: by us, or because the sandbox has stopped.
    if (!signal.aborted && !(error instanceof TypeError)) throw error;
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/**
 * The events of one block, by the clause "Interpreting an event stream" of the HTML standard; a block without data is
 * none.
 */
function readBlock(block: string): ServerEvent[] {
  const members = block.split("\n").map((line) => /^(\w+): ?(.*)$/.exec(line));
  const findValues = (name: string) =>
    members.filter((member) => member?.[1] === name).map((member) => member?.[2] ?? "");
  const data = findValues("data");
  if (data.length === 0) return [];
  const id = findValues("id")[0];
  const position = id === undefined ? {} : { id: Number(id) };
  return [{ type: findValues("event")[0] ?? "message", data: JSON.parse(data.join("\n")) as unknown, ...position }];
}

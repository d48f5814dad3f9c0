// Reads server-sent events from the body of a response.
export interface ServerEvent {
  type: string;
  data: unknown;
  /** The position in the log. */
  id?: number;
}

export type ServerEvents = AsyncGenerator<ServerEvent>;

/** Cancels the reader itself, because the signal that `fetch` derives from ours may be garbage-collected and would then never abort. */
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
    // A TypeError means that the sandbox closed the connection.
    if (!signal.aborted && !(error instanceof TypeError)) throw error;
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/** Parses one block by the section "Interpreting an event stream" of the HTML standard. A block without data has no event. */
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

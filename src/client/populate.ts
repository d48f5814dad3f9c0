// Bulk data from a running sandbox, with the progress of it: lines of JSON, the last of which is the answer.
import type { Control, HttpOutcome, Schemas } from "./control.ts";
import { SandboxError } from "./sandbox-error.ts";

type Lines = ReadableStream<Uint8Array> | null;

type OnProgress = (bookings: number, of: number) => void;

/** The answer ended before its last line. */
export class BrokenOff extends Error {
  override name = "BrokenOff";
}

type Last = Schemas["Populated"] | ({ status: number } & Schemas["Error"]);

export function askToPopulate(
  control: Control,
  body: Schemas["PopulateInput"],
  signal?: AbortSignal,
): Promise<HttpOutcome<Lines>> {
  const headers = { accept: "application/x-ndjson, application/json" };
  return control.POST("/_sandbox/state/populate", { body, headers, parseAs: "stream", ...(signal ? { signal } : {}) });
}

/** `signal`: ends the reading by hand, since the signal that `fetch` makes of it may be collected as garbage. */
export async function readPopulated(
  lines: Lines,
  onProgress: OnProgress,
  signal?: AbortSignal,
): Promise<Schemas["Populated"]> {
  for await (const line of read(lines, signal)) {
    if (!("of" in line)) return lastOf(line);
    onProgress(line.bookings, line.of);
  }
  throw brokenOff();
}

type ProgressLine = { bookings: number; of: number } | Last;

/** Of a sandbox that answers once, without lines, its answer. */
async function* read(lines: Lines, signal?: AbortSignal): AsyncGenerator<ProgressLine, void> {
  const reader = lines?.getReader();
  const end = () => void reader?.cancel().catch(() => undefined);
  signal?.addEventListener("abort", end, { once: true });
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const piece = await reader?.read();
      signal?.throwIfAborted();
      text += decoder.decode(piece?.value, { stream: true });
      const whole = text.split("\n");
      text = whole.pop() ?? "";
      for (const line of whole) yield JSON.parse(line) as ProgressLine;
      if (piece?.done !== false) return yield JSON.parse(text) as ProgressLine;
    }
  } catch (reason) {
    signal?.throwIfAborted();
    throw brokenOff(reason);
  } finally {
    // Also where whoever reads wants no more.
    end();
    signal?.removeEventListener("abort", end);
  }
}

const brokenOff = (cause?: unknown) => new BrokenOff("The sandbox went away before all bookings were made.", { cause });

function lastOf(last: Last): Schemas["Populated"] {
  if ("code" in last) throw new SandboxError(last.status, last.code, last.message, last);
  return last;
}

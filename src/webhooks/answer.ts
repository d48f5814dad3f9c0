// Reads what a receiver answers, bounded in memory: 64 KiB are read, then the connection is cut; 4 KiB are kept. An answer that
// breaks off is none. Assumptions: delivery-success, message-retention.
import type { IncomingMessage } from "node:http";
import type { Attempt } from "../domain/kernel/records.ts";

const READ = 64 * 1024;
const KEPT = 4 * 1024;

type Answer = NonNullable<Attempt["answer"]>;

export interface Reading {
  /** What came so far. */
  soFar(): Answer;
  /** Resolves with whether the answer is whole, or was cut because enough had come. */
  whole: Promise<boolean>;
}

export function readAnswer(response: IncomingMessage): Reading {
  const kept: Buffer[] = [];
  let size = 0;
  const whole = new Promise<boolean>((resolve) => {
    response.on("data", (chunk: Buffer) => {
      if (size < KEPT) kept.push(chunk.subarray(0, KEPT - size));
      size += chunk.length;
      if (size <= READ) return;
      resolve(true);
      response.destroy();
    });
    response.on("end", () => resolve(response.complete));
    response.on("error", () => resolve(false));
    response.on("close", () => resolve(false));
  });
  const soFar = () => ({
    status: response.statusCode ?? 0,
    headers: headersOf(response),
    body: Buffer.concat(kept).toString("utf8"),
  });
  return { soFar, whole };
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const told: Record<string, string> = {};
  let room = KEPT;
  for (const [name, value] of Object.entries(headers)) {
    const text = Array.isArray(value) ? value.join(", ") : (value ?? "");
    room -= name.length + text.length;
    if (room >= 0) told[name] = text;
  }
  return told;
}

// The journal, read: each line is `<crc32> <json>`. Only the last line of the last journal may be torn, by a crash; a line that
// does not fit its checksum anywhere else is damage.
import { crc32 } from "node:zlib";
import { lineBlocks } from "./file-lines.ts";
import { isLine, type Line } from "./kept.ts";
import { StoreError } from "./store-error.ts";

const NEWLINE = 10;
/** Eight hex digits and a space. */
const HEAD = 9;

export function encode(line: Line): Buffer {
  const bytes = Buffer.from(`00000000 ${JSON.stringify(line)}\n`);
  bytes.write(checksum(bytes.subarray(HEAD, -1)), 0, "latin1");
  return bytes;
}

function checksum(bytes: Buffer): string {
  return crc32(bytes).toString(16).padStart(8, "0");
}

/** Reads a journal, handing each line over; answers where the last good line ends and how many torn bytes follow it. */
export async function replay(path: string, apply: (line: Line) => void): Promise<{ good: number; torn: number }> {
  let at = 0;
  let good = 0;
  let number = 0;
  let bad = false;
  for await (const block of lineBlocks(path)) {
    for (let from = 0; from < block.length; ) {
      // A bad line with another one behind it was not torn by a crash.
      if (bad) throw damaged(path, number);
      const end = block.indexOf(NEWLINE, from);
      const line = end < 0 ? null : decode(block.subarray(from, end));
      const next = end < 0 ? block.length : end + 1;
      at += next - from;
      from = next;
      number += 1;
      if (line) apply(line);
      if (line) good = at;
      else bad = true;
    }
  }
  return { good, torn: at - good };
}

function decode(bytes: Buffer): Line | null {
  if (bytes.length <= HEAD || bytes.toString("latin1", 0, HEAD) !== `${checksum(bytes.subarray(HEAD))} `) return null;
  const value: unknown = JSON.parse(bytes.toString("utf8", HEAD));
  return isLine(value) ? value : null;
}

export function damaged(path: string, line: number | "the end"): StoreError {
  const place = line === "the end" ? "at its end" : `in line ${line}`;
  return new StoreError(
    `${path} is damaged ${place}; nothing was changed. Restore it from a copy, or move it and its data file away, ` +
      "or start with --fresh to replace them",
  );
}

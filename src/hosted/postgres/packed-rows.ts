// The changes that a snapshot of a world consists of, as compressed text: a line is one change, or a list of changes, as a commit is.
// What a later line says holds, so a body with another one behind it is a body too.
import { pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import { createGunzip, gzip } from "node:zlib";
import type { State } from "../../engine/log/entry.ts";
import type { RowChange } from "../../engine/world/state/commit.ts";
import { Slice } from "../../platform/slices.ts";

/** Of a commit and of a snapshot. */
export const FORMAT = 1;

// On the thread pool of libuv, so that the event loop is free meanwhile.
const pack = promisify(gzip);
/** Characters that are made or read in one go. */
const SLICE = 512 * 1024;

export type StoredRows = State extends Iterable<readonly [string, infer C]> ? C : never;

/** The parts of a body; other work goes on in between. Where a step of `lines` makes none, it gives undefined. */
export async function packed(lines: Iterable<string | undefined>): Promise<readonly Buffer[]> {
  const slice = new Slice();
  const parts: Buffer[] = [];
  let text = "";
  for (const line of lines) {
    if (line !== undefined) text += `${line}\n`;
    // Making text of a large world takes long; requests of other worlds go on between slices.
    if (slice.isOver) await slice.rest();
    if (text.length < SLICE) continue;
    // Level 3 takes much less processor time than the default, for somewhat more bytes.
    parts.push(await pack(text, { level: 3 }));
    text = "";
  }
  if (text !== "" || parts.length === 0) parts.push(await pack(text, { level: 3 }));
  return parts;
}

/** `text` is the row as JSON. */
export const lineWith = (collection: string, id: string, text: string): string =>
  `[${JSON.stringify(collection)},${JSON.stringify(id)},${text}]`;

export const lineOf = ([collection, id, row]: RowChange): string => lineWith(collection, id, JSON.stringify(row));

export function* linesOf(rows: Iterable<RowChange>): Generator<string> {
  for (const row of rows) yield lineOf(row);
}

/** Of a body in pieces; other work goes on in between. */
export async function* changesIn(body: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<readonly RowChange[]> {
  const slice = new Slice();
  for await (const text of linesIn(body)) {
    const line = JSON.parse(text) as RowChange | readonly RowChange[];
    yield isOne(line) ? [line] : line;
    if (slice.isOver) await slice.rest();
  }
}

async function* linesIn(body: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<string> {
  const unpacked = createGunzip({ chunkSize: SLICE }).setEncoding("utf8");
  // What fails on the way is thrown to who reads.
  pipeline(Readable.from(body), unpacked, () => undefined);
  let begun = "";
  // Gzip members one behind the other are one stream (RFC 1952 section 2.2), which is how bodies are joined.
  for await (const text of unpacked as AsyncIterable<string>) {
    const lines = `${begun}${text}`.split("\n");
    begun = lines.pop() ?? "";
    yield* lines;
  }
}

// A change begins with the name of its collection, a list with a change.
const isOne = (line: RowChange | readonly RowChange[]): line is RowChange => typeof line[0] === "string";

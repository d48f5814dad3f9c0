// Reads a record of the log without parsing its rows, which stay text until somebody reads one: a long log is read as quickly as a
// snapshot. For text whose checksum fits, so that it is as the log wrote it; what has another layout is left to the caller.
import { COMMA, QUOTE, textEnd, valueEnd } from "../../../platform/json-text.ts";
import { SerializedRecord, type TextBlock } from "../state/serialized-record.ts";
import type { LogRecord, StoredChange } from "./log-records.ts";

const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

/** What stands before the name of the world, and between it and the rows. */
const COMMIT = [Buffer.from('{"commit":'), Buffer.from(',"changes":[')] as const;
const LOAD = [Buffer.from('{"load":'), Buffer.from(',"rows":[')] as const;

/** A commit or a whole world, which stands from byte `from` to byte `to` of a block; its rows are found in `home` afterwards. */
export function recordIn(block: Buffer, home: Buffer | TextBlock, from: number, to: number): LogRecord | undefined {
  const commit = rowsBehind(block, home, [from, to], COMMIT);
  if (commit) return { commit: commit.world, changes: commit.rows, ...commit.rest };
  const load = rowsBehind(block, home, [from, to], LOAD);
  return load && { load: load.world, rows: load.rows, ...load.rest };
}

function rowsBehind(
  block: Buffer,
  home: Buffer | TextBlock,
  [from, to]: readonly [number, number],
  [head, list]: readonly [Buffer, Buffer],
): { world: string; rows: StoredChange[]; rest: object } | undefined {
  const name = from + head.length;
  if (!isAt(block, from, head) || block[name] !== QUOTE) return undefined;
  const behind = textEnd(block, name, to);
  if (!isAt(block, behind, list)) return undefined;
  const rows: StoredChange[] = [];
  let at = behind + list.length;
  for (; block[at] === OPEN_LIST; at += block[at] === COMMA ? 1 : 0) {
    const id = textEnd(block, at + 1, to) + 1;
    const row = textEnd(block, id, to) + 1;
    const end = valueEnd(block, row, to);
    if (block[end] !== CLOSE_LIST) return undefined;
    const key = textAt(block, id, row - 1);
    const isRow = block[row] === OPEN_OBJECT;
    rows.push([textAt(block, at + 1, id - 1), key, isRow ? new SerializedRecord(key, home, row, end) : null]);
    at = end + 1;
  }
  if (block[at] !== CLOSE_LIST) return undefined;
  return { world: textAt(block, name, behind), rows, rest: membersFrom(block, at + 1, to) };
}

const isAt = (block: Buffer, at: number, bytes: Buffer): boolean =>
  block.compare(bytes, 0, bytes.length, at, at + bytes.length) === 0;

/** A JSON text, with its quotes. */
function textAt(block: Buffer, from: number, to: number): string {
  const text = block.toString("utf8", from + 1, to - 1);
  return text.includes("\\") ? JSON.parse(`"${text}"`) : text;
}

/** The members behind the rows. */
function membersFrom(block: Buffer, at: number, to: number): object {
  return block[at] === CLOSE_OBJECT ? {} : JSON.parse(`{${block.toString("utf8", at + 1, to)}`);
}

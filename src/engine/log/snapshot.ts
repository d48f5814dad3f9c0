// Writes and reads `world.json`: all worlds at one point of the log, as a JSON document with one record per line.
import { isUtf8 } from "node:buffer";
import fs from "node:fs";
import { crc32 } from "node:zlib";
import { type Adapter, Low } from "lowdb";
import { Slice } from "../../platform/slices.ts";
import { formatChecksum, type Row, type State } from "./entry.ts";
import { removeQuietly, syncData, syncFolder, writeAll } from "./file.ts";
import { explain, OWNER_ONLY, readErrorCode, StoreError } from "./store-error.ts";

/** Worlds as they are read from the files; the caller may change them. */
export type StoredWorlds = Map<string, Map<string, Map<string, Row>>>;

export interface Snapshot {
  readonly format: number;
  /** The last entry of the log that the worlds include. */
  readonly seq: number;
  readonly worlds: StoredWorlds;
  /** A person has changed the file. */
  readonly isEdited: boolean;
}

export const FORMAT = 4;
/** Files of version 0.2.0 have other fields in the first and in the last line. */
export const FORMAT_OF_0_2_0 = 3;

const CHUNK = 64 * 1024;
/** Larger documents are read line by line only. */
const MAX_PARSED_BYTES = 256 * 1024 * 1024;
const NEWLINE = 10;
const COMMA = 44;
const LAST_LINE = /^\},"checksum":"([0-9a-f]{8})"(?:,"open":([01]))?\}\n$/;
const RESTORE =
  "Restore it from a copy, or move it away with the file beside it, or start with {option fresh} to replace it";

/**
 * Writes to `temporaryPath` in slices, so that requests are served in between. Then syncs and renames it, so a kill at any step leaves either
 * the old file or the new one. `state` must be a copy that no request changes.
 */
export async function writeSnapshot(
  path: string,
  { seq, state }: { seq: number; state: State },
  temporaryPath: string,
): Promise<void> {
  // lowdb's own adapter for files writes the whole document in one turn, and does not sync.
  const adapter: Adapter<State> = {
    read: async () => null,
    write: async (data) => {
      try {
        await writeTemporary(temporaryPath, seq, data);
        fs.renameSync(temporaryPath, path);
        syncFolder(path);
      } catch (reason) {
        removeQuietly(temporaryPath);
        throw explain(`Cannot write ${path}, it is unchanged`, reason);
      }
    },
  };
  await new Low(adapter, state).write();
}

async function writeTemporary(path: string, seq: number, state: State): Promise<void> {
  // The file is removed first, because opening it would follow a link of this name.
  fs.rmSync(path, { force: true });
  const fd = fs.openSync(path, "wx", OWNER_ONLY);
  try {
    const slice = new Slice();
    let [text, checksum, length] = ["", 0, 0];
    const write = () => {
      const bytes = Buffer.from(text);
      checksum = crc32(bytes, checksum);
      length += writeAll(fd, bytes, length);
      text = "";
    };
    for (const line of formatLines(seq, state)) {
      text += line;
      if (text.length < CHUNK) continue;
      write();
      if (slice.isOver) await slice.pause();
    }
    write();
    writeAll(fd, Buffer.from(`},"checksum":"${formatChecksum(checksum)}"}\n`), length);
    // A power failure after the rename could otherwise leave an empty file under the final name.
    await syncData(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Yields all lines except the last, which has their checksum. */
function* formatLines(seq: number, state: State): Generator<string> {
  yield `{"format":${FORMAT},"seq":${seq},"worlds":{`;
  let worldSeparator = "\n";
  for (const [world, collections] of state) {
    yield `${worldSeparator}${JSON.stringify(world)}:{`;
    worldSeparator = ",\n";
    let separator = "\n";
    for (const [name, records] of collections) {
      yield `${separator}${JSON.stringify(name)}:{`;
      separator = "\n";
      for (const record of records) {
        yield `${separator}${JSON.stringify(record.id)}:${JSON.stringify(record)}`;
        separator = ",\n";
      }
      yield "\n}";
      separator = ",\n";
    }
    yield "\n}";
  }
  yield "\n";
}

/** Returns null when there is no file. Throws a StoreError for a damaged one, and leaves it unchanged. */
export function readSnapshot(path: string): Snapshot | null {
  try {
    const bytes = fs.readFileSync(path);
    return readIntact(bytes) ?? readDocument(bytes);
  } catch (reason) {
    if (readErrorCode(reason) === "ENOENT") return null;
    if (!(reason instanceof Misread)) throw explain(`Cannot read ${path}`, reason);
    throw new StoreError(`${path} can't be read: ${reason.message}. Nothing was changed. ${reason.advice}`);
  }
}

/** The reason why a file is rejected, and what to do about it. */
class Misread extends Error {
  readonly advice: string;
  constructor(why: string, advice = RESTORE) {
    super(why);
    this.advice = advice;
  }
}

/** Returns undefined for a file that does not match its checksum, or has none. */
function readIntact(bytes: Buffer): Snapshot | undefined {
  const lastLine = bytes.lastIndexOf(NEWLINE, -2) + 1;
  const [, checksum, open] = LAST_LINE.exec(bytes.toString("latin1", lastLine)) ?? [];
  if (checksum !== formatChecksum(crc32(bytes.subarray(0, lastLine)))) return undefined;
  const end = bytes.indexOf(NEWLINE);
  const head = readHead({ ...JSON.parse(`${bytes.toString("utf8", 0, end)}}}`), open: Number(open ?? 0) });
  return { ...head, worlds: readLines(bytes, end), isEdited: false };
}

/** Parses line by line: a third faster than the whole document, and its text is never in memory as one string. */
function readLines(bytes: Buffer, headEnd: number): StoredWorlds {
  const worlds: StoredWorlds = new Map();
  let world: Map<string, Map<string, Row>> | undefined;
  let records: Map<string, Row> | undefined;
  let start = headEnd + 1;
  for (let end = bytes.indexOf(NEWLINE, start); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    const line = bytes.toString("utf8", start, bytes[end - 1] === COMMA ? end - 1 : end);
    start = end + 1;
    if (line === "}" && records) records = undefined;
    else if (line === "}") world = undefined;
    if (line[0] !== '"') continue;
    const nameEnd = findNameEnd(line);
    const name = JSON.parse(line.slice(0, nameEnd));
    if (records) records.set(name, JSON.parse(line.slice(nameEnd + 1)));
    else if (world) {
      records = new Map();
      world.set(name, records);
    } else {
      world = new Map();
      worlds.set(name, world);
    }
  }
  return worlds;
}

/** Finds the end of the name, which is the first quote unless the name contains an escape. */
function findNameEnd(line: string): number {
  const end = line.indexOf('"', 1) + 1;
  if (!line.slice(0, end).includes("\\")) return end;
  return /^"(?:[^"\\]|\\.)*"/.exec(line)?.[0].length ?? end;
}

function readHead({ format, seq, generation, after, open }: Record<string, unknown>): { format: number; seq: number } {
  if (format === FORMAT_OF_0_2_0 && typeof generation === "number" && typeof after === "string") {
    if (open !== 1) return { format, seq: 0 };
    throw new Misread("version 0.2.0 was not stopped cleanly", "Start and stop it once with 0.2.0");
  }
  if (format === 1 || format === 2 || format === FORMAT_OF_0_2_0)
    throw new Misread(`it has format ${format} of an older version`, "Start and stop it once with 0.2.0");
  if (typeof format === "number" && format > FORMAT)
    throw new Misread(
      `it has format ${format}, and this version reads format ${FORMAT}`,
      `Install the newer version that wrote it. ${RESTORE}`,
    );
  if (format !== FORMAT) throw new Misread(`its format is ${JSON.stringify(format)}, and this version reads ${FORMAT}`);
  if (typeof seq !== "number" || !Number.isSafeInteger(seq) || seq < 0)
    throw new Misread(`its seq ${JSON.stringify(seq)} is not a whole number`);
  return { format, seq };
}

const MEMBERS = ["format", "seq", "worlds", "checksum", "generation", "after", "open"];

/** Reads a file that a person or a tool has edited or reformatted. People who edit a file remove its checksum. */
function readDocument(bytes: Buffer): Snapshot {
  if (bytes.length === 0) throw new Misread("it is empty");
  if (bytes.length > MAX_PARSED_BYTES || !isUtf8(bytes)) throw new Misread("it does not match its checksum");
  const text = bytes.toString();
  const document = readObject(parse(text), "it");
  const head = readHead(document);
  const stranger = Object.keys(document).find((name) => !MEMBERS.includes(name));
  if (stranger !== undefined) throw new Misread(`it has an unknown field ${stranger}`);
  const worlds = readWorlds(document.worlds);
  assertNothingTwice(text, worlds);
  const { checksum } = document;
  if (checksum === undefined || checksum === computeChecksum(head.seq, worlds))
    return { ...head, worlds, isEdited: checksum === undefined };
  throw new Misread(
    "it does not match its checksum, so it was damaged or edited by hand",
    `If you edited it, remove the field "checksum". ${RESTORE}`,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (reason) {
    const lines = text.split("\n");
    const damaged = lines.findIndex((line) => /^".*[^{]$/.test(line) && !isField(line.replace(/,$/, "")));
    const position = Number(/position (\d+)/.exec((reason as Error).message)?.[1] ?? text.length);
    const line = damaged === -1 ? text.slice(0, position).split("\n").length : damaged + 1;
    const name = /^"[^"\\]*"(?=:)/.exec(lines[line - 1] ?? "")?.[0];
    throw new Misread(`line ${line}${name === undefined ? "" : ` (${name})`} is not JSON`);
  }
}

function isField(line: string): boolean {
  try {
    JSON.parse(`{${line}}`);
    return true;
  } catch {
    return false;
  }
}

function readWorlds(value: unknown): StoredWorlds {
  const worlds: StoredWorlds = new Map();
  for (const [world, collections] of Object.entries(readObject(value, "worlds"))) {
    const stored = new Map<string, Map<string, Row>>();
    worlds.set(world, stored);
    for (const [name, records] of Object.entries(readObject(collections, world)))
      stored.set(name, readRecords(records, `${world}.${name}`));
  }
  return worlds;
}

function readRecords(value: unknown, path: string): Map<string, Row> {
  const records = new Map<string, Row>();
  for (const [id, record] of Object.entries(readObject(value, path))) {
    // A record under another key would be stored under one id and have another.
    if ((record as Row | null)?.id !== id) throw new Misread(`${path}.${id} is not a record with the id ${id}`);
    records.set(id, record as Row);
  }
  return records;
}

function readObject(value: unknown, path: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Misread(`${path} is not a JSON object`);
}

/** Rejects duplicate names: JSON keeps the last of two fields with one name, so a copied record would replace the original. */
function assertNothingTwice(text: string, worlds: StoredWorlds): void {
  let names = 0;
  for (const world of worlds.values()) for (const records of world.values()) names += 1 + records.size;
  const lines = text.split("\n").filter((line) => line.startsWith('"')).length;
  if (lines > names + worlds.size) throw new Misread("a world, a collection or a record is in it twice");
}

function computeChecksum(seq: number, worlds: StoredWorlds): string {
  let checksum = 0;
  for (const line of formatLines(seq, toState(worlds))) checksum = crc32(line, checksum);
  return formatChecksum(checksum);
}

export function toState(worlds: StoredWorlds): State {
  return Array.from(worlds, ([id, collections]) => [
    id,
    Array.from(collections, ([name, records]) => [name, Array.from(records.values())] as const),
  ]);
}

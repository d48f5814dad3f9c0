// Writes and reads `world.json`: all worlds at one point of the log, as a JSON document with one record per line.
import { isUtf8 } from "node:buffer";
import fs from "node:fs";
import { crc32 } from "node:zlib";
import { type Adapter, Low } from "lowdb";
import { findDuplicateMember } from "../../platform/duplicate-member.ts";
import { isObject } from "../../platform/json.ts";
import { Slice } from "../../platform/slices.ts";
import { formatChecksum, type Row, type State } from "./entry.ts";
import { readIfPresent, removeQuietly, syncData, syncFolder, writeAll } from "./file.ts";
import { explain, OWNER_ONLY, StoreError } from "./store-error.ts";

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
export const NEWLINE = 10;
const COMMA = 44;
const LAST_LINE = /^\},"checksum":"([0-9a-f]{8})"(?:,"open":([01]))?\}\n$/;
const RESTORE =
  "Restore it from a copy, or move it away with the file beside it, or start with {option fresh} to replace it";

/**
 * Writes to `temporaryPath` in slices, so that requests are served in between. Then syncs and renames it, so a kill at
 * any step leaves either the old file or the new one. `state` must be a copy that no request changes.
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
  const bytes = readIfPresent(path);
  if (!bytes) return null;
  try {
    return readIntact(bytes) ?? readEdited(bytes);
  } catch (reason) {
    throw new StoreError(`${path} can't be read: ${(reason as Error).message}. Nothing was changed. ${RESTORE}`);
  }
}

/** Returns undefined for a file that does not match its checksum, or has none. */
function readIntact(bytes: Buffer): Snapshot | undefined {
  const lastLine = bytes.lastIndexOf(NEWLINE, -2) + 1;
  const [, checksum, open] = LAST_LINE.exec(bytes.toString("latin1", lastLine)) ?? [];
  if (checksum !== formatChecksum(crc32(bytes.subarray(0, lastLine)))) return undefined;
  if (open === "1") throw new Error("version 0.2.0 was not stopped cleanly. Start and stop it once with 0.2.0");
  const end = bytes.indexOf(NEWLINE);
  const head = readHead(JSON.parse(`${bytes.toString("utf8", 0, end)}}}`));
  return { ...head, worlds: readLines(bytes, end + 1), isEdited: false };
}

function readHead({ format, seq, generation }: Record<string, unknown>): { format: number; seq: number } {
  if (format === FORMAT_OF_0_2_0 && typeof generation === "number") return { format, seq: 0 };
  if (typeof format === "number" && 0 < format && format < FORMAT)
    throw new Error(`it has format ${format} of an older version. Start and stop it once with 0.2.0`);
  if (format !== FORMAT)
    throw new Error(
      `its format is ${JSON.stringify(format)}, and this version reads ${FORMAT}. Use the version that wrote it`,
    );
  if (typeof seq !== "number" || !Number.isSafeInteger(seq) || seq < 0)
    throw new Error(`its seq ${JSON.stringify(seq)} is not a whole number`);
  return { format, seq };
}

/** Parses line by line, so that a file may be longer than a string can be. */
function readLines(bytes: Buffer, from: number): StoredWorlds {
  const worlds: StoredWorlds = new Map();
  let world: Map<string, Map<string, Row>> | undefined;
  let records: Map<string, Row> | undefined;
  let start = from;
  for (let end = bytes.indexOf(NEWLINE, start); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    const line = bytes.toString("utf8", start, bytes[end - 1] === COMMA ? end - 1 : end);
    start = end + 1;
    if (line === "}") {
      if (!records) world = undefined;
      records = undefined;
    } else if (records) {
      const [record] = Object.values<Row>(JSON.parse(`{${line}}`));
      if (record) records.set(record.id, record);
    } else if (line[0] === '"') {
      // The line ends with a colon and a brace.
      const name = JSON.parse(line.slice(0, -2));
      if (world) {
        records = new Map();
        world.set(name, records);
      } else {
        world = new Map();
        worlds.set(name, world);
      }
    }
  }
  return worlds;
}

/** Reads a file that a person has edited. People who edit a file remove its checksum. */
function readEdited(bytes: Buffer): Snapshot {
  if (bytes.length === 0) throw new Error("it is empty");
  if (!isUtf8(bytes)) throw new Error("it is not encoded as UTF-8");
  const text = bytes.toString();
  const document: unknown = JSON.parse(text);
  if (!isObject(document)) throw new Error("it is not a JSON object");
  const { checksum, worlds, ...head } = document;
  const { format, seq } = readHead(head);
  if (checksum !== undefined)
    throw new Error('it does not match its checksum. If you edited it, remove the field "checksum"');
  const [unknown] = Object.keys(head).filter((name) => name !== "format" && name !== "seq");
  if (unknown !== undefined) throw new Error(`it has an unknown field ${unknown}`);
  const duplicate = findDuplicateMember(text);
  if (duplicate) throw new Error(`${duplicate.path} is in it twice`);
  return { format, seq, worlds: readWorlds(worlds), isEdited: true };
}

function readWorlds(value: unknown): StoredWorlds {
  const worlds: StoredWorlds = new Map();
  for (const [world, collections] of listMembers(value, "worlds")) {
    const stored = new Map<string, Map<string, Row>>();
    worlds.set(world, stored);
    for (const [name, records] of listMembers(collections, world)) {
      const rows = listMembers(records, `${world}.${name}`) as [string, Row | null][];
      const wrong = rows.find(([id, row]) => row?.id !== id);
      if (wrong) throw new Error(`${world}.${name}.${wrong[0]} is not a record with the id ${wrong[0]}`);
      stored.set(name, new Map(rows as [string, Row][]));
    }
  }
  return worlds;
}

function listMembers(value: unknown, path: string): [name: string, value: unknown][] {
  if (!isObject(value)) throw new Error(`${path} is not a JSON object`);
  return Object.entries(value);
}

export function toState(worlds: StoredWorlds): State {
  return Array.from(worlds, ([id, collections]) => [
    id,
    Array.from(collections, ([name, records]) => [name, Array.from(records.values())] as const),
  ]);
}

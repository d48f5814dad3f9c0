// Writes and reads `world.json`: all worlds at one point of the log, as a JSON document with one record per line.
import { isUtf8 } from "node:buffer";
import fs from "node:fs";
import { crc32 } from "node:zlib";
import { Low } from "lowdb";
import { findDuplicateMember } from "../../platform/duplicate-member.ts";
import { isObject } from "../../platform/json.ts";
import { Slice } from "../../platform/slices.ts";
import { type Collections, createCollections, loadRow, type State } from "../world/state/schema.ts";
import { formatChecksum, type Row } from "./entry.ts";
import { readIfPresent, removeQuietly, syncData, syncFolder, writeAll } from "./file.ts";
import { explain, OWNER_ONLY, StoreError } from "./store-error.ts";

export interface Snapshot {
  readonly format: number;
  /** The last entry of the log that the worlds include. */
  readonly seq: number;
  readonly worlds: Map<string, Collections>;
  /** A person has changed the file. */
  readonly isEdited: boolean;
}

export const FORMAT = 4;
/** Files of version 0.2.0 have other fields in the first and in the last line. */
const FORMAT_OF_0_2_0 = 3;

const CHUNK = 64 * 1024;
export const NEWLINE = 10;
const COMMA = 44;
const LAST_LINE = /^\},"checksum":"([0-9a-f]{8})"(?:,"open":([01]))?\}\n$/;
const RESTORE =
  "Restore it from a copy, or move it away with the file beside it, or start with {option fresh} to replace it";

/**
 * Writes a temporary file in slices, so that requests are served in between. Then syncs and renames it, so a kill at
 * any step leaves either the old file or the new one. `state` must be a copy that no request changes.
 */
export async function writeSnapshot(path: string, seq: number, state: State): Promise<void> {
  const write = async (data: State) => {
    try {
      await writeTemporary(`${path}.tmp`, seq, data);
      fs.renameSync(`${path}.tmp`, path);
      syncFolder(path);
    } catch (reason) {
      removeQuietly(`${path}.tmp`);
      throw explain(`Cannot write ${path}, it is unchanged`, reason);
    }
  };
  // lowdb's own adapter for files writes the whole document in one turn, and does not sync.
  await new Low({ read: async () => null, write }, state).write();
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
    for (const [name, records] of Object.entries(collections)) {
      yield `${separator}${JSON.stringify(name)}:{`;
      separator = "\n";
      for (const record of records.all()) {
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
function readLines(bytes: Buffer, from: number): Snapshot["worlds"] {
  const worlds: Snapshot["worlds"] = new Map();
  let [collections, name, depth, start] = [createCollections(), "", 0, from];
  for (let end = bytes.indexOf(NEWLINE, start); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    const line = bytes.toString("utf8", start, bytes[end - 1] === COMMA ? end - 1 : end);
    start = end + 1;
    if (line === "}") depth--;
    else if (depth === 2) {
      const [record] = Object.values<Row>(JSON.parse(`{${line}}`));
      if (record) loadRow(collections, name, record.id, record);
    } else if (line.startsWith('"')) {
      // The line ends with a colon and a brace.
      name = JSON.parse(line.slice(0, -2));
      depth++;
      if (depth > 1) continue;
      collections = createCollections();
      worlds.set(name, collections);
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
  const read = listMembers(worlds, "worlds").map(([world, members]) => [world, readWorld(world, members)] as const);
  return { format, seq, worlds: new Map(read), isEdited: true };
}

function readWorld(world: string, members: unknown): Collections {
  const collections = createCollections();
  for (const [name, records] of listMembers(members, world))
    for (const [id, row] of listMembers(records, `${world}.${name}`) as [string, Row | null][]) {
      if (row?.id !== id) throw new Error(`${world}.${name}.${id} is not a record with the id ${id}`);
      loadRow(collections, name, id, row);
    }
  return collections;
}

function listMembers(value: unknown, path: string): [name: string, value: unknown][] {
  if (!isObject(value)) throw new Error(`${path} is not a JSON object`);
  return Object.entries(value);
}

// Reads a snapshot that a person or a tool has laid out anew: the same document in other lines. A member that no data file has
// is named, so that the reader can remove it.
import { type Row, type StoredWorld, stateOf } from "./log-records.ts";
import { Misread, mustBeReadable, type Snapshot } from "./snapshot-frame.ts";
import { isRow } from "./snapshot-text.ts";

type SnapshotMembers = [name: string, value: unknown][];

/** The document in a text; `misread` says where reading by lines stopped, and is thrown when the text is not JSON at all. */
export function documentOf(text: string, misread: Misread): Snapshot & { checksum: string | null } {
  const {
    format,
    generation,
    after = null,
    worlds,
    checksum = null,
    open = 0,
    ...rest
  } = Object.fromEntries(members(parse(text, misread), "it"));
  const stranger = Object.keys(rest)[0];
  mustBeReadable(format, "it");
  if (stranger !== undefined) throw new Misread(`it has a member ${stranger} that no data file has`);
  if (typeof generation !== "number" || !Number.isSafeInteger(generation) || generation < 0) {
    throw new Misread(`its generation ${JSON.stringify(generation)} is not a whole number`);
  }
  // Format 1 had no checksums that continue one another.
  if (format === 1 ? after !== null : typeof after !== "string" || !/^[0-9a-f]{8}$/.test(after)) {
    throw new Misread(`its after ${JSON.stringify(after)} is not the checksum of a log record`);
  }
  if (open !== 0 && open !== 1) throw new Misread(`its open ${JSON.stringify(open)} is neither 0 nor 1`);
  if (checksum !== null && typeof checksum !== "string") throw new Misread("its checksum is not a string");
  const made = new Map<string, StoredWorld>();
  for (const [world, collections] of members(worlds, "worlds")) made.set(world, storedWorldOf(world, collections));
  return {
    format,
    generation,
    after: after as string | null,
    open: open === 1,
    state: stateOf(made),
    worlds: made,
    sizes: new Map(),
    checksum,
  };
}

function storedWorldOf(world: string, value: unknown): StoredWorld {
  const made: StoredWorld = new Map();
  for (const [name, records] of members(value, world)) {
    const rows = new Map<string, Row>();
    // The key has to be the record's own id: by it the record is found.
    for (const [id, row] of members(records, `${world}.${name}`)) {
      if (!isRow(row, id)) throw new Misread(`${world}.${name}.${id} is not a record with the id ${id}`);
      rows.set(id, row);
    }
    made.set(name, rows);
  }
  return made;
}

function members(value: unknown, path: string): SnapshotMembers {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return Object.entries(value);
  throw new Misread(`${path} is not a JSON object`);
}

function parse(text: string, misread: Misread): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const found = /position (\d+)/.exec(error instanceof Error ? error.message : "");
    // Lines that began in our layout know better where they end it; a brace that is missing shows only much later.
    if (!found || misread.line > 1) throw misread;
    const line = text.slice(0, Number(found[1])).split("\n").length;
    throw new Misread(`line ${line} is not JSON`);
  }
}

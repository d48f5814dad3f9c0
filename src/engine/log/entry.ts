// Defines an entry of the activity log and its form as one line of JSON. Memory, the data file, database rows and the
// live stream hold that line.
import { crc32 } from "node:zlib";
import type { Fact } from "../domain/kernel/facts.ts";
import type { Instant } from "../domain/kernel/instant.ts";

/** A record of a world. Records are never changed in place, so a reference to one is a copy of it. */
export interface Row {
  id: string;
}

/** `before` is null for a created record, `after` is null for a removed one. */
export interface Change {
  readonly collection: string;
  readonly id: string;
  readonly before: Row | null;
  readonly after: Row | null;
}

/**
 * "change": recovery applies its changes. "replace": the world is first replaced. "part": a piece of a later "replace"
 * entry.
 */
type EntryEffect = "none" | "change" | "replace" | "part";

/**
 * "commit" is a change, appended in the turn of its transaction; "state" replaces or removes a whole world. The others
 * report how something ended, and are appended after the commits that it caused.
 */
type EntryKind = "commit" | "state" | "request" | "act" | "clock" | "delivery" | "world";

/**
 * The world first becomes a copy of `from`, or empty (`null`), or is removed ("gone"). Its earlier entries are not part
 * of its past.
 */
export type Replacement = { readonly from: string | null } | "gone";

/** The fields of an entry that its writer provides. The log adds `seq`. */
export interface EntryDraft {
  /** The id of the world. A named snapshot has its own, `<world>@<name>`. */
  readonly world: string;
  readonly kind: EntryKind;
  /**
   * The id of the cause of a commit; empty if nothing happened in the world (a token for a page of the sandbox). The id
   * of a state is its reason, such as "created".
   */
  readonly id: string;
  /** Time on the clock of the world. */
  readonly at: Instant;
  /** Milliseconds of real time. */
  readonly wall: number;
  readonly facts?: readonly Fact[];
  readonly changes?: readonly Change[];
  readonly replaced?: Replacement;
  /** Other fields of the kind: JSON without secrets. */
  readonly [field: string]: unknown;
}

export type Entry = EntryDraft & { readonly seq: number };

/** Whether an id belongs to a world, or to one of its named snapshots. */
export const isOfWorld = (id: string, world: string): boolean => id === world || id.startsWith(`${world}@`);

/** The fields by which an entry is found, and the text with all fields. */
export interface StoredEntry {
  readonly seq: number;
  readonly world: string;
  readonly kind: EntryKind;
  readonly id: string;
  readonly at: Instant;
  readonly wall: number;
  readonly effect: EntryEffect;
  /** The entry as JSON. Readers parse it when they need more than the fields above. */
  readonly text: string;
}

const HEAD =
  /^\{"seq":(\d+),"world":"([^"\\]+)","kind":"(\w+)","effect":"(\w+)","id":"([^"\\]*)","at":"([^"]*)","wall":(-?[\d.]+)/;
const LINE = /^\{"crc":"([0-9a-f]{8})",(?:"after":(\d+),)?(.*)$/s;
const MARK = /^"snapshot":(\d+)\}$/;
const CRC_LENGTH = '{"crc":"00000000",'.length;

/**
 * Writes the fields by which an entry is found first and in a fixed order, so `decodeLine` reads them without parsing
 * the entry. The changes are last. `more`: further fields that are JSON already, each after a comma.
 */
export function encodeEntry(
  seq: number,
  { world, kind, id, at, wall, changes, ...rest }: EntryDraft,
  effect = findEffect(rest.replaced, changes),
  more = "",
): StoredEntry {
  const head = `{"seq":${seq},"world":${JSON.stringify(world)},"kind":"${kind}","effect":"${effect}","id":${JSON.stringify(id)},`;
  const members = JSON.stringify({ at, wall, ...rest }).slice(1, -1) + more;
  const text = `${head}${members}${changes ? `${CHANGES}${changes.map(encodeChange).join(",")}]` : ""}}`;
  return { seq, world, kind, id, at, wall, effect, text };
}

const CHANGES = ',"changes":[';

/** A tab precedes each change. JSON strings contain no tabs, so changes are found without parsing them. */
const encodeChange = ({ collection, id, before, after }: Change): string =>
  `\t${JSON.stringify({ collection, id, before, after })}`;

/** Returns the text of an entry without its changes. */
export function readHeadText({ text }: StoredEntry): string {
  const start = text.indexOf(CHANGES);
  return start < 0 ? text : `${text.slice(0, start)}}`;
}

/** Yields the text of each change that contains `needle`. */
export function* walkChanges({ text }: StoredEntry, needle = "\t"): Generator<string> {
  for (let end = text.indexOf("\t"); end >= 0; ) {
    const at = text.indexOf(needle, end);
    if (at < 0) return;
    end = text.indexOf(",\t", at);
    yield text.slice(text.lastIndexOf("\t", at) + 1, end < 0 ? -2 : end);
  }
}

function findEffect(replaced: EntryDraft["replaced"], changes: EntryDraft["changes"]): EntryEffect {
  if (replaced) return "replace";
  return changes?.length ? "change" : "none";
}

/**
 * Returns the entry's JSON with a checksum in front, because JSON alone does not reveal a changed letter in a string.
 * `previous` is the number of the line before. The line names it if numbers in between are not in the file, so recovery
 * notices a missing line.
 */
export function encodeLine({ seq, text }: StoredEntry, previous: number): string {
  return addChecksum((seq === previous + 1 ? "" : `"after":${previous},`) + text.slice(1));
}

/** Returns a line that marks `seq` as included in `world.json`. A `world.json` that includes less is an older copy. */
export const encodeMark = (seq: number): string => addChecksum(`"snapshot":${seq}}`);

const addChecksum = (fields: string): string => `{"crc":"${formatChecksum(crc32(fields))}",${fields}\n`;

/** Returns undefined for a line that is incomplete or damaged. `previous` is the number of the line before. */
export function decodeLine(line: string): { entry: StoredEntry; previous: number } | { mark: number } | undefined {
  const [, crc, after, text = ""] = LINE.exec(line) ?? [];
  if (crc !== formatChecksum(crc32(line.slice(CRC_LENGTH)))) return undefined;
  const mark = MARK.exec(text)?.[1];
  if (mark !== undefined) return { mark: Number(mark) };
  const entry = decodeText(`{${text}`);
  return entry && { entry, previous: after === undefined ? entry.seq - 1 : Number(after) };
}

/** Returns undefined for a text that is no entry. */
export function decodeText(text: string): StoredEntry | undefined {
  const head = HEAD.exec(text);
  if (!head) return undefined;
  const [, seq, world = "", kind, effect, id = "", at = "", wall] = head;
  const fields = { world, kind: kind as EntryKind, id, at, effect: effect as EntryEffect, text };
  return { seq: Number(seq), wall: Number(wall), ...fields };
}

export const parseEntry = ({ text }: StoredEntry): Entry => JSON.parse(text);

export const formatChecksum = (checksum: number): string => checksum.toString(16).padStart(8, "0");

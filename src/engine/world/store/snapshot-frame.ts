// The first and the last line of a snapshot file. The first one names the log record that the snapshot follows; the last one carries
// a checksum of all lines before it, and in the data file says whether a log belongs to it: `"open":1` from before the first commit
// until the store was closed.
import type { StateDump, StoredWorld } from "./log-records.ts";

export type Snapshot = {
  readonly format: number;
  readonly generation: number;
  /** The checksum that its log continues from, in hex; null in format 1, which had none. */
  readonly after: string | null;
  /** It is incomplete without its log. */
  readonly open: boolean;
  /** Only an incremental snapshot has one. */
  readonly index?: SnapshotIndex | undefined;
  readonly state: StateDump;
  /** The same as maps, when it was read; the caller may change them. */
  readonly worlds?: Map<string, StoredWorld>;
  /** The length of each world, filled while the snapshot is written or read. */
  readonly sizes: Map<string, number>;
};

/** Every other snapshot file that is needed, with the checksum in its first line; and every world, with the file that holds it. */
export type SnapshotIndex = {
  readonly files: readonly (readonly [generation: number, after: string])[];
  readonly worlds: readonly (readonly [world: string, generation: number])[];
};

/** Format 3 has incremental snapshots; its data file is otherwise that of format 2. */
export const FORMAT = 3;
/** Read, and written in our format at once: its logs are not chained, and it does not say whether one belongs to it. */
const FIRST_FORMAT = 1;

export function firstLine({ format, generation, after, index }: Snapshot): string {
  const position = after === null ? "" : `"after":"${after}",`;
  const others = index ? `"index":${JSON.stringify(index)},` : "";
  return `{"format":${format},"generation":${generation},${position}${others}"worlds":{`;
}

type First = Pick<Snapshot, "format" | "generation" | "after" | "index">;
const FIRST = /^\{"format":(\d+),"generation":(\d{1,15})(?:,"after":"([0-9a-f]{8})")?,(?:"index":(\{.*\}),)?/s;

/** What a first line says; undefined when it is none. */
export function readFirstLine(line: string): First | undefined {
  const found = FIRST.exec(line);
  if (!found) return undefined;
  const [start, , generation, after = null, index] = found;
  const format = Number(found[1]);
  mustBeReadable(format, "line 1", 1);
  const isWhole = line.slice(start.length) === '"worlds":{' && (after === null) === (format === FIRST_FORMAT);
  try {
    return isWhole ? { format, generation: Number(generation), after, index: index && JSON.parse(index) } : undefined;
  } catch {
    return undefined;
  }
}

export function lastLine(checksum: number, open: boolean): string {
  return `},"checksum":"${hex(checksum)}","open":${open ? 1 : 0}}\n`;
}

const LAST = /^\}(?:,"checksum":"([^"]*)")?(?:,"open":([01]))?\}$/;

export function readLastLine(line: string): { checksum: string | null; open: boolean } | undefined {
  const found = LAST.exec(line);
  return found ? { checksum: found[1] ?? null, open: found[2] === "1" } : undefined;
}

export function hex(checksum: number): string {
  return checksum.toString(16).padStart(8, "0");
}

/** For a data file. */
export const RESTORE =
  "Restore it from a copy, or move it away with the files beside it, or start with {option fresh} to replace it";

/** For files that only fit together. */
export const PUT_BACK = "Put all files back from one copy, or start with {option fresh} to replace all";

/** Why a text is not a snapshot, and in which line; a final one would fail as well when the text is read as a whole. */
export class Misread extends Error {
  readonly line: number;
  readonly final: boolean;
  readonly advice: string;
  constructor(why: string, line = 0, final = false, advice = RESTORE) {
    super(why);
    this.line = line;
    this.final = final;
    this.advice = advice;
  }
}

/** Throws for a format that this version does not read; `where` says what names it: it, or line 1. */
export function mustBeReadable(format: unknown, where: string, line = 0): asserts format is number {
  if (format === FIRST_FORMAT || format === 2 || format === FORMAT) return;
  const found = `${where} says format ${JSON.stringify(format)}, and this version reads formats 1 to ${FORMAT}`;
  if (typeof format !== "number" || format < FORMAT) throw new Misread(found, line);
  throw new Misread(found, line, true, `Install the newer version that wrote it. ${RESTORE}`);
}

// Numbers of what happens, in blocks that are reserved before one of them is given: no other run on the same data, and no other node on the
// same database, gives a number of them. `<file>.numbers`, beside the data file, holds the first one that is free. The data file has no
// member for it, since a copy of an older one that is put back would bring back numbers that were given.
import { constants } from "node:fs";
import { type FileHandle, open, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "./snapshot-file.ts";
import { codeOf, explain, OWNER_ONLY } from "./store-error.ts";

/** All numbers from `first` to `last`. */
export interface NumberBlock {
  first: number;
  last: number;
}

export interface NumberBlocks {
  /** The block that this run begins with. */
  begun: NumberBlock;
  next(): Promise<NumberBlock>;
  /** What comes after the latest number that was given is free again. */
  end(latest: number): Promise<void>;
  /** Other nodes have blocks too, before and after these. */
  shared: boolean;
}

/** One write for so many numbers. */
const BLOCK = 100_000;
const MOST = Number.MAX_SAFE_INTEGER - 2 * BLOCK;
/** Where what was given is not known, microseconds since 1970 are more: no run gives a block in less than a tenth of a second. */
const PER_MS = 1000;
const BY_CLOCK = "The numbers of the history go on from one that the clock gives, so that none is given twice";
const FREE = /^\{"free":([1-9]\d{0,15})\}\n$/;
const LONGEST = 100;

const blockAt = (first: number): NumberBlock => ({ first, last: first + BLOCK - 1 });

/** Of a sandbox in memory: nothing of an earlier run is left that a number could be taken for. */
export const numbersInMemory = (): NumberBlocks => {
  const begun = { first: 1, last: Number.MAX_SAFE_INTEGER };
  return { begun, next: () => Promise.resolve(begun), end: () => Promise.resolve(), shared: false };
};

/** `index` is never the same twice. */
export async function numbersOfNode(index: () => Promise<number>): Promise<NumberBlocks> {
  const next = async () => blockAt((await index()) * BLOCK);
  return { begun: await next(), next, end: () => Promise.resolve(), shared: true };
}

interface Around {
  /** The data file, which this process has the lock of, was made by this start. */
  isNew: boolean;
  /** Milliseconds since 1970. */
  wall(): number;
  warn(sentence: string): void;
}

export async function numbersBeside(data: string, { isNew, wall, warn }: Around): Promise<NumberBlocks> {
  const file = `${data}.numbers`;
  const byClock = () => Math.max(1, Math.floor(wall() * PER_MS));
  const found = await freeIn(file).catch((reason: unknown) => {
    warn(`${explain(`Cannot read ${file}`, reason).message}. ${BY_CLOCK}`);
    return byClock();
  });
  let free = found ?? (isNew ? 1 : byClock());
  const next = async () => {
    try {
      await write(file, free + BLOCK);
    } catch (reason) {
      warn(`${explain(`Cannot write ${file}`, reason).message}. ${BY_CLOCK}`);
      free = Math.max(free, byClock());
    }
    const block = blockAt(free);
    free += BLOCK;
    return block;
  };
  const begun = await next();
  return {
    ...{ begun, next, shared: false },
    // When it fails, the numbers up to the end of the block stay reserved.
    end: (latest) => write(file, latest + 1).catch(() => undefined),
  };
}

/** Undefined where there is no such file. */
async function freeIn(file: string): Promise<number | undefined> {
  let handle: FileHandle | undefined;
  try {
    // Without waiting: a pipe would be opened only when somebody writes to it.
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(LONGEST), 0, LONGEST, null);
    const [, free] = FREE.exec(buffer.toString("latin1", 0, bytesRead)) ?? [];
    if (free === undefined || Number(free) > MOST) throw new Error("it is not what a sandbox wrote there");
    return Number(free);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  } finally {
    await handle?.close();
  }
}

/** On the disk, and whole, before a number of it is given. */
async function write(file: string, free: number): Promise<void> {
  const draft = `${file}.tmp`;
  try {
    // Made anew: a link that lies there would be followed.
    await rm(draft, { force: true });
    await writeFile(draft, `{"free":${free}}\n`, { flag: "wx", mode: OWNER_ONLY, flush: true });
    await rename(draft, file);
    await syncFolder(dirname(file));
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
}

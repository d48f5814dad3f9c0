// What a data file and its journals say together, after a clean stop or a crash. Everything is read before anything is
// touched: a damaged file is refused and stays as it is, byte for byte.
import { readdir, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { damaged, replay } from "./journal-lines.ts";
import { type Kept, Worlds } from "./kept.ts";
import type { Snapshot } from "./snapshot-text.ts";
import { explain, StoreError } from "./store-error.ts";

export type Recovered = {
  kept: Kept | null;
  /** The journal to go on with, and where its last good line ends. */
  generation: number;
  length: number;
  /** Bytes in the journals before that one. */
  older: number;
  warnings: string[];
};

export function journalPath(file: string, generation: number): string {
  return `${file}.journal.${generation}`;
}

/** The generations of all journals beside a data file, ascending. */
export async function journalsOf(file: string): Promise<number[]> {
  const start = `${basename(file)}.journal.`;
  try {
    const names = (await readdir(dirname(file))).filter((name) => name.startsWith(start));
    const endings = names.map((name) => name.slice(start.length)).filter((ending) => /^\d{1,15}$/.test(ending));
    return endings.map(Number).sort((a, b) => a - b);
  } catch (error) {
    throw explain(`Cannot read the folder of ${file}`, error);
  }
}

/** Journals that a snapshot of this generation has made needless. */
export async function removeJournals(file: string, before: number): Promise<void> {
  for (const generation of await journalsOf(file)) {
    // One that cannot be removed does no harm: it is older than the snapshot, and is tried again at the next start.
    if (generation < before) await rm(journalPath(file, generation), { force: true }).catch(() => {});
  }
}

/** Snapshot and journals, put together; changes nothing on the disk. */
export async function recover(file: string, snapshot: Snapshot | null): Promise<Recovered | null> {
  const journals = await journalsOf(file);
  if (!snapshot) {
    if (journals.length === 0) return null;
    throw alone(file, journalPath(file, journals.at(-1) ?? 0));
  }
  const live = journals.filter((generation) => generation >= snapshot.generation);
  const result: Recovered = { kept: null, generation: snapshot.generation, length: 0, older: 0, warnings: [] };
  const worlds = new Worlds(snapshot.worlds ?? new Map());
  for (const [index, generation] of live.entries()) {
    const path = journalPath(file, generation);
    if (generation !== snapshot.generation + index) throw missing(journalPath(file, snapshot.generation + index), path);
    const { good, torn } = await read(path, worlds);
    if (torn > 0 && index < live.length - 1) throw damaged(path, "the end");
    if (torn > 0) result.warnings.push(cut(path, torn));
    result.older += result.length;
    result.length = good;
    result.generation = generation;
  }
  const nothing = worlds.size === 0 && result.older + result.length === 0;
  return { ...result, kept: nothing ? null : worlds.kept };
}

async function read(path: string, worlds: Worlds): Promise<{ good: number; torn: number }> {
  try {
    return await replay(path, (line) => worlds.apply(line));
  } catch (error) {
    throw explain(`Cannot read ${path}`, error);
  }
}

function cut(path: string, torn: number): string {
  return `${path} ended in half a line, as after a crash or a power cut; its last ${torn} bytes were cut off, all else is kept`;
}

function alone(file: string, journal: string): StoreError {
  return new StoreError(
    `${file} is missing, but its journal ${journal} is there. Put the file back, or move the journal away to begin anew, ` +
      "or start with --fresh",
  );
}

function missing(path: string, next: string): StoreError {
  return new StoreError(
    `${path} is missing, and without it ${next} cannot be read; nothing was changed. Put it back (the data file may come ` +
      "from an older copy), or start with --fresh to replace all",
  );
}

// The journals beside a data file, by their names: `<file>.journal.<generation>`.
import { readdir, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { explain, StoreError } from "./store-error.ts";

export function journalPath(file: string, generation: number): string {
  return `${file}.journal.${generation}`;
}

/** The generations of all journals beside a data file, ascending. */
export async function journalsOf(file: string): Promise<number[]> {
  const start = `${basename(file)}.journal.`;
  const folder = await readdir(dirname(file), { withFileTypes: true }).catch((error) => {
    throw explain(`Cannot read the folder of ${file}`, error);
  });
  const found = folder.filter(({ name }) => name.startsWith(start) && /^\d{1,15}$/.test(name.slice(start.length)));
  const strange = found.find((entry) => !entry.isFile());
  if (strange) throw new StoreError(`${dirname(file)}/${strange.name} is not a file; move it away and try again`);
  return found.map(({ name }) => Number(name.slice(start.length))).sort((a, b) => a - b);
}

/** Removes journals that nothing needs any more. */
export async function removeJournals(file: string, isNeedless: (generation: number) => boolean): Promise<void> {
  for (const generation of (await journalsOf(file)).filter(isNeedless)) {
    // One that can't be removed is older than the snapshot and does no harm; it is tried again at the next start.
    await rm(journalPath(file, generation), { force: true }).catch(() => {});
  }
}

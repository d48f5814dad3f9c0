// The files beside a data file, by their names: logs `<file>.journal.<generation>` and incremental snapshots
// `<file>.snapshot.<generation>`.
import { readdir, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { explain, StoreError } from "./store-error.ts";

type FileKind = "journal" | "snapshot";

export function numberedPath(file: string, kind: FileKind, generation: number): string {
  return `${file}.${kind}.${generation}`;
}

/** The generations of all files of a kind beside a data file, ascending. */
export async function generationsOf(file: string, kind: FileKind): Promise<number[]> {
  const start = `${basename(file)}.${kind}.`;
  const folder = await readdir(dirname(file), { withFileTypes: true }).catch((error) => {
    throw explain(`Cannot read the folder of ${file}`, error);
  });
  const found = folder.filter(({ name }) => name.startsWith(start) && /^\d{1,15}$/.test(name.slice(start.length)));
  const strange = found.find((entry) => !entry.isFile());
  if (strange) throw new StoreError(`${dirname(file)}/${strange.name} is not a file; move it away and try again`);
  return found.map(({ name }) => Number(name.slice(start.length))).sort((a, b) => a - b);
}

/** Removes files that are no longer needed. */
export async function removeNumbered(
  file: string,
  kind: FileKind,
  isNeedless: (generation: number) => boolean,
): Promise<void> {
  for (const generation of (await generationsOf(file, kind)).filter(isNeedless)) {
    // A file that cannot be removed is older than the snapshot and is not read; it is tried again at the next start.
    await rm(numberedPath(file, kind, generation), { force: true }).catch(() => {});
  }
}

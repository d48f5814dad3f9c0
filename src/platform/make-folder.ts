// Creates a folder with its parents, one by one: Node's recursive mkdir never returns where the system reports a folder as
// missing although its parent exists, as below /proc.
import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Returns the first folder that was created, or undefined if the folder exists. Throws what mkdir throws. */
export function makeFolder(path: string, mode?: number): string | undefined {
  if (isFolder(path)) return undefined;
  const first = makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    // Another process may have created it since.
    if (!isFolder(path)) throw error;
  }
  return first ?? path;
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

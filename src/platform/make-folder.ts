// A folder with those above it, one by one: Node's recursive mkdir never ends where the system says that a folder is missing though
// the one above it is there, as below /proc.
import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** The first that was made; undefined where the folder was there before. Throws what mkdir throws. */
export function makeFolder(path: string, mode?: number): string | undefined {
  if (isFolder(path)) return undefined;
  const above = dirname(path);
  const first = existsSync(above) ? undefined : makeFolder(above, mode);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isFolder(path)) throw error;
  }
  return first ?? path;
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

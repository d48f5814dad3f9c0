// Caches what a process has looked up of time zones in a file for later ones, because the first look-up takes ICU 8 MB and a
// tenth of a start. The file is valid for one edition of the zone rules. Without a readable or writable file, each process
// looks zones up itself.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeCacheFile } from "../../platform/cache-file.ts";
import { listStretches, recall } from "../domain/kernel/zone.ts";

/** A process reads and writes the cache once, independent of its number of sandboxes. */
let isCached = false;

export function keepZones(folder: string): void {
  if (isCached) return;
  isCached = true;
  const file = join(folder, `.zones-${process.version}-${process.versions.tz}.cache`);
  const cached = readCached(file);
  writeCacheFile(file, () => {
    const text = JSON.stringify(listStretches());
    return text === cached ? undefined : text;
  });
}

/** Returns the text of the file, if it can be read. */
function readCached(file: string): string | undefined {
  try {
    const text = readFileSync(file, "utf8");
    recall(JSON.parse(text));
    return text;
  } catch {
    return undefined;
  }
}

// What a process has asked of time zones, kept in a file for later ones: the first answer takes ICU 8 MB and a tenth of a start. Of one
// edition of the zones' rules only; without the file, or where it can't be written, each process asks for itself.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeCacheFile } from "../../platform/cache-file.ts";
import { listStretches, recall } from "../domain/kernel/zone.ts";

/** A process recalls and keeps once, however many sandboxes it has. */
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

/** The text of the file, if it can be read. */
function readCached(file: string): string | undefined {
  try {
    const text = readFileSync(file, "utf8");
    recall(JSON.parse(text));
    return text;
  } catch {
    return undefined;
  }
}

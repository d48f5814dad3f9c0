// What a process has asked of time zones, kept in a file for later ones: the first answer takes ICU 8 MB and a tenth of a start. Of one
// edition of the zones' rules only; without the file, or where it can't be written, each process asks for itself.
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { knownStretches, recall } from "../domain/kernel/zone.ts";

/** A start has better things to do. */
const KEEP_AFTER_MS = 1000;

export function keepZones(folder: string): void {
  const file = join(folder, `.zones-${process.version}-${process.versions.tz}.cache`);
  const kept = recalled(file);
  const keep = () => {
    const text = JSON.stringify(knownStretches());
    if (text !== kept) write(file, text);
  };
  setTimeout(keep, KEEP_AFTER_MS).unref();
}

/** The text of the file, if it can be read. */
function recalled(file: string): string | undefined {
  try {
    const text = readFileSync(file, "utf8");
    recall(JSON.parse(text));
    return text;
  } catch {
    return undefined;
  }
}

/** Beside and renamed, so that nobody reads half of it. */
function write(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, text);
    renameSync(draft, file);
  } catch {
    rmSync(draft, { force: true });
  }
}

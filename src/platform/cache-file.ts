// Writes a cache file for later processes, at a time when the start has nothing better to do.
import { renameSync, rmSync, writeFileSync } from "node:fs";

/** The delay leaves a start undisturbed, and skips processes that end sooner, such as tests. */
const KEEP_AFTER_MS = 1000;

/**
 * Writes the file a moment later, unless the process ends sooner. `text` returns undefined if nothing is new.
 * `written` runs after the file exists.
 */
export function writeCacheFile(file: string, text: () => string | undefined, written?: () => void): void {
  setTimeout(() => keep(file, text, written), KEEP_AFTER_MS).unref();
}

/** Writes a draft and renames it, so that no process reads half of it. A failure costs only the gain. */
function keep(file: string, textOf: () => string | undefined, written?: () => void): void {
  const draft = `${file}.${process.pid}`;
  try {
    const text = textOf();
    if (text === undefined) return;
    writeFileSync(draft, text);
    renameSync(draft, file);
    written?.();
  } catch {
    rmSync(draft, { force: true });
  }
}

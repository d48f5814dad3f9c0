// A file that spares later processes some work, beside the program: written when a start has nothing better to do.
import { renameSync, rmSync, writeFileSync } from "node:fs";

/** A start has better things to do, and a test that ends sooner has not. */
const KEEP_AFTER_MS = 1000;

/** In a moment, unless the process ends sooner. `text`: undefined where there is nothing new. `written`: once it is there. */
export function writeCacheFile(file: string, text: () => string | undefined, written?: () => void): void {
  setTimeout(() => keep(file, text, written), KEEP_AFTER_MS).unref();
}

/** Beside and renamed, so that nobody reads half of it; a folder that can't be written to costs only the gain. */
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

// The sentences about a log that is damaged or missing: which file, which record, what to do, and how to open the rest.

import { StoreError } from "./store-error.ts";
import type { Damage, Position } from "./wal-reader.ts";

const INSTEAD = "or start with --fresh to replace all";

export function refusal(file: string, path: string, { message, before }: Damage, hasMark: boolean): StoreError {
  const rest = hasMark
    ? `change "open":1 to "open":0 at the end of ${file}`
    : `cut it to its first ${before.length} bytes`;
  return new StoreError(
    `${path} ${message}. Nothing was changed. Put it back from a copy; or keep a copy and ${rest}, ` +
      `to start with all that stands before the damage; ${INSTEAD}`,
  );
}

export const missing = {
  snapshot: (file: string, log: string): StoreError =>
    new StoreError(
      `${file} is missing, but its log ${log} is there. Put the file back, or move the log away to begin anew, or start with --fresh`,
    ),
  before: (path: string, next: string): StoreError =>
    new StoreError(
      `${path} is missing, and without it ${next} can't be read; nothing was changed. Put it back (the data file may come ` +
        `from an older copy), or move ${next} away, ${INSTEAD}`,
    ),
};

export const warnings = {
  torn: (path: string, bytes: number): string =>
    `${path} ended in half a line, as after a crash or a power cut; its last ${bytes} bytes were cut off, all else is kept`,
  cut: (path: string, { records }: Position): string =>
    `${path} was cut off behind record ${records}; if it had more records they are lost, all else is kept`,
  leftOut: (path: string, { message }: Damage): string =>
    `${path} ${message}. All that stands before the damage is kept, what stood behind it is left out`,
};

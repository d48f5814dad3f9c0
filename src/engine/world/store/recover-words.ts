// The sentences about a log that is damaged or missing: which file, which record, what to do, and how to open the rest.
import { numberedPath } from "./numbered-files.ts";
import { StoreError } from "./store-error.ts";
import type { Damage, WalPosition } from "./wal-reader.ts";

const INSTEAD = "or start with {option fresh} to replace all";

/** `hasMark`: the data file says whether a log belongs to it. Then the way round the damage is to change that mark. */
export function rejectionText(file: string, path: string, { message, before }: Damage, hasMark: boolean): StoreError {
  const rest = hasMark
    ? `change "open":1 to "open":0 at the end of ${file}`
    : `cut it to its first ${before.length} bytes`;
  return new StoreError(
    `${path} ${message}. Nothing was changed. Put it back from a copy; or keep a copy and ${rest}, ` +
      `to start with all that stands before the damage; ${INSTEAD}`,
  );
}

/** A file that must be there is not. */
export const missing = {
  /** `beside` belongs to it: a log, or an incremental snapshot. */
  dataFile: (file: string, beside: string): StoreError =>
    new StoreError(
      `${file} is missing, but ${beside} is there, which belongs to it; nothing was changed. Put ${file} back from a copy, or move all ` +
        `${file}.journal.* and ${file}.snapshot.* away to begin anew, ${INSTEAD}`,
    ),
  /** A log follows the snapshot of its number, or the log before it where that snapshot was not yet written. */
  before: (file: string, log: number, next: number): StoreError => {
    const [snapshot, before] = [numberedPath(file, "snapshot", next), numberedPath(file, "journal", log)];
    const after = numberedPath(file, "journal", next);
    return new StoreError(
      `${snapshot} is missing: without it, or ${before} from before it was written, ${after} can't be read; nothing was changed. ` +
        `Put all files back from one copy (${file} may be of an older one), or move ${after} away to start with what the others ` +
        `hold, ${INSTEAD}`,
    );
  },
};

/** The start goes on, and says what was lost. */
export const warnings = {
  torn: (path: string, bytes: number): string =>
    `${path} ended in half a line, as after a crash or a power cut; its last ${bytes} bytes were cut off, all else is kept`,
  cut: (path: string, { records }: WalPosition): string =>
    `${path} was cut off behind record ${records}; if it had more records they are lost, all else is kept`,
  leftOut: (path: string, { message }: Damage): string =>
    `${path} ${message}. All that stands before the damage is kept, what stood behind it is left out`,
};

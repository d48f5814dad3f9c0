// One snapshot file: a readable JSON document. It is written beside and renamed, so that there is always a whole one; it is read by
// lines, or as a whole when a person or a tool has laid it out anew. A damaged file is refused and stays as it is.
import { isUtf8 } from "node:buffer";
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { lineBlocks } from "./file-lines.ts";
import { documentOf } from "./snapshot-document.ts";
import { hex, lastLine, Misread, PUT_BACK, RESTORE, type Snapshot } from "./snapshot-frame.ts";
import { SnapshotReader } from "./snapshot-lines.ts";
import { checksumOf, slices } from "./snapshot-text.ts";
import { codeOf, explain, OWNER_ONLY, StoreError } from "./store-error.ts";

/** Larger documents are not parsed in one piece. */
const WHOLE = 256 * 1024 * 1024;

/**
 * Writes a snapshot to a draft, in slices, so that requests are served between them; then syncs it, then renames it. Fails before its end
 * when it is not wanted any more.
 */
export async function writeSnapshot(
  file: string,
  snapshot: Snapshot,
  draft: string,
  isWanted = () => true,
): Promise<void> {
  try {
    await writeDraft(draft, snapshot, isWanted);
    // The one step that replaces the old file; before it nothing has happened to that.
    await rename(draft, file);
    // A rename is in the folder, which is synced by itself.
    await syncFolder(dirname(file));
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw explain(`Cannot write ${file}, it is as it was`, error);
  }
}

async function writeDraft(draft: string, snapshot: Snapshot, isWanted: () => boolean): Promise<void> {
  // Made anew: a link that lies there would be followed.
  await rm(draft, { force: true });
  // For the owner only.
  const handle = await open(draft, "wx", OWNER_ONLY);
  try {
    let sum = 0;
    for (const text of slices(snapshot)) {
      if (!isWanted()) throw new Error("it is not wanted any more");
      const bytes = Buffer.from(text);
      // Over all lines but the last, which holds it.
      sum = crc32(bytes, sum);
      await handle.appendFile(bytes);
      // A turn for other requests.
      await setImmediate();
    }
    await handle.appendFile(lastLine(sum, snapshot.open));
    // Before the rename, or a power cut could leave a new name for half a file.
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a new name in a folder last; where folders cannot be opened (Windows) the system sees to it. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => null);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

/** The snapshot in a file, or null when there is none. Only a data file may have been laid out anew or edited. */
export async function readSnapshot(file: string, isDataFile: boolean): Promise<Snapshot | null> {
  try {
    const { size } = await stat(file);
    const snapshot = readLines(file, isDataFile);
    // Nobody edits an incremental snapshot, so any other layout is damage.
    return await (isDataFile ? snapshot.catch((error) => readWhole(file, size, error)) : snapshot);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    if (!(error instanceof Misread)) throw explain(`Cannot read ${file}`, error);
    const advice = isDataFile ? error.advice : PUT_BACK;
    throw new StoreError(`${file} cannot be read: ${error.message}. It was left as it is. ${advice}`, { cause: error });
  }
}

/** A data file without its checksum is accepted: a person who edits the file takes the checksum out. */
async function readLines(file: string, isDataFile: boolean): Promise<Snapshot> {
  const reader = new SnapshotReader();
  let [before, sum] = [0, 0];
  for await (const block of lineBlocks(file)) {
    // The last line, which holds the checksum, is a block of its own and is not part of it.
    before = sum;
    sum = crc32(block, sum);
    if (!isUtf8(block)) throw reader.notText();
    reader.take(block);
  }
  const { checksum, ...snapshot } = reader.end();
  if (checksum !== null && checksum !== hex(before)) throw mismatch(checksum, hex(before));
  if (checksum === null && !isDataFile) throw new Misread("it has no checksum");
  return snapshot;
}

async function readWhole(file: string, size: number, error: unknown): Promise<Snapshot> {
  // Parsing in one piece blocks all requests and needs the text in memory.
  if (!(error instanceof Misread) || error.final || size > WHOLE) throw error;
  const bytes = await readFile(file);
  if (!isUtf8(bytes)) throw error;
  const { checksum, ...snapshot } = documentOf(bytes.toString(), error);
  const found = checksumOf(snapshot);
  if (checksum !== null && checksum !== found) throw mismatch(checksum, found);
  return snapshot;
}

function mismatch(expected: string, found: string): Misread {
  return new Misread(
    `its "checksum" says ${expected} but its records make ${found}, so it was damaged or edited by hand`,
    0,
    false,
    `If you edited it, take the "checksum" member out, and it is accepted as it stands. ${RESTORE}`,
  );
}

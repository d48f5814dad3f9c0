// The data file itself: one readable JSON document. Written beside and renamed, so that there is always a whole one; read by
// lines, or as a whole when a person or a tool has laid it out anew. A damaged one is refused and left alone.
import { isUtf8 } from "node:buffer";
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { lineBlocks } from "./file-lines.ts";
import { documentOf } from "./snapshot-document.ts";
import { SnapshotReader } from "./snapshot-lines.ts";
import { checksumOf, hex, lastLine, Misread, type Snapshot, slices } from "./snapshot-text.ts";
import { codeOf, explain, OURS_ALONE, StoreError } from "./store-error.ts";

/** Larger documents are not parsed in one piece. */
const WHOLE = 256 * 1024 * 1024;

/** Writes a snapshot without stopping anyone: slice by slice, then on the disk, then in place. Answers its size. */
export async function writeSnapshot(file: string, snapshot: Snapshot): Promise<number> {
  const draft = `${file}.tmp`;
  try {
    const size = await writeDraft(draft, snapshot);
    await rename(draft, file);
    await syncFolder(dirname(file));
    return size;
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw explain(`Cannot write ${file}, it is as it was`, error);
  }
}

async function writeDraft(draft: string, snapshot: Snapshot): Promise<number> {
  const handle = await open(draft, "w", OURS_ALONE);
  try {
    let sum = 0;
    let size = 0;
    for (const text of slices(snapshot)) {
      const bytes = Buffer.from(text);
      sum = crc32(bytes, sum);
      size += bytes.length;
      await handle.appendFile(bytes);
      await setImmediate();
    }
    const last = lastLine(sum, snapshot.open);
    await handle.appendFile(last);
    await handle.sync();
    return size + last.length;
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

/** The snapshot in a file, or null when there is none. */
export async function readSnapshot(file: string): Promise<Snapshot | null> {
  try {
    const { size } = await stat(file);
    return await readLines(file, true)
      .catch((error) => (error instanceof Misread ? readLines(file, false) : Promise.reject(error)))
      .catch((error) => readWhole(file, size, error));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    if (!(error instanceof Misread)) throw explain(`Cannot read ${file}`, error);
    throw new StoreError(`${file} cannot be read: ${error.message}. It was left as it is. ${error.advice}`, {
      cause: error,
    });
  }
}

/** Where the checksum fits, nobody has to look at the records; where it doesn't, or was taken out, everything is looked at. */
async function readLines(file: string, quickly: boolean): Promise<Snapshot> {
  const reader = new SnapshotReader(quickly);
  let sum = 0;
  let before: Buffer = Buffer.alloc(0);
  for await (const block of lineBlocks(file)) {
    // The last line, which holds the checksum, is a block of its own and is not part of it.
    sum = crc32(before, sum);
    before = block;
    if (!quickly && !isUtf8(block)) throw reader.notText();
    reader.take(block);
  }
  const { checksum, ...snapshot } = reader.end();
  if (checksum !== null && checksum !== hex(sum)) throw mismatch(checksum, hex(sum));
  if (checksum === null && quickly) throw new Misread("it has no checksum");
  return snapshot;
}

async function readWhole(file: string, size: number, error: unknown): Promise<Snapshot> {
  if (!(error instanceof Misread) || error.final || size > WHOLE) throw error;
  const bytes = await readFile(file);
  if (!isUtf8(bytes)) throw error;
  const { checksum, ...snapshot } = documentOf(bytes.toString(), error);
  const found = checksumOf(snapshot);
  if (checksum !== null && checksum !== found) throw mismatch(checksum, found);
  return snapshot;
}

function mismatch(said: string, found: string): Misread {
  return new Misread(
    `its "checksum" says ${said} but its records make ${found}, so it was damaged or edited by hand (if you edited it, ` +
      'take the "checksum" member out, and the file is accepted as it stands)',
  );
}

// A file of lines, read in blocks: memory stays small, and no string ever holds the whole file. The last line always comes
// as a block of its own, since that is where a checksum stands or a torn write ends.
import { open } from "node:fs/promises";

const CHUNK = 1 << 20;
const NEWLINE = 10;

/** Blocks of whole lines, each with its newline; only the very last may lack it. */
export async function* lineBlocks(file: string): AsyncGenerator<Buffer> {
  const handle = await open(file, "r");
  try {
    let pending: Buffer[] = [];
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, null);
      if (bytesRead === 0) break;
      const part = buffer.subarray(0, bytesRead);
      if (pending.at(-1)?.at(-1) === NEWLINE) {
        yield Buffer.concat(pending);
        pending = [];
      }
      const cut = bytesRead > 1 ? part.lastIndexOf(NEWLINE, bytesRead - 2) + 1 : 0;
      if (cut > 0) {
        yield pending.length === 0 ? part.subarray(0, cut) : Buffer.concat([...pending, part.subarray(0, cut)]);
        pending = [];
      }
      pending.push(part.subarray(cut));
    }
    if (pending.length > 0) yield Buffer.concat(pending);
  } finally {
    await handle.close();
  }
}

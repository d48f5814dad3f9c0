// Reads a file of lines in blocks: memory stays small, and no string ever holds the whole file. The last line is always a block of its
// own, since it is the one with a checksum or a torn write.
import { open } from "node:fs/promises";

const CHUNK = 1 << 20;
const NEWLINE = 10;

/** Blocks of whole lines, each with its newline; only the very last may lack it. Their bytes are good until the next block. */
export async function* lineBlocks(file: string): AsyncGenerator<Buffer> {
  const handle = await open(file, "r");
  try {
    let rest: Buffer = Buffer.alloc(0);
    let buffer = rest;
    for (let left = (await handle.stat()).size; left > 0; ) {
      // The buffer grows with a long line, so that its beginning is not copied again and again.
      const room = Math.min(left, Math.max(CHUNK, rest.length));
      const needed = rest.length + room;
      if (buffer.length < needed) buffer = Buffer.allocUnsafeSlow(2 * needed);
      rest.copy(buffer);
      const { bytesRead } = await handle.read(buffer, rest.length, room, null);
      if (bytesRead === 0) break;
      left -= bytesRead;
      const read = buffer.subarray(0, rest.length + bytesRead);
      const cut = read.length > 1 ? read.lastIndexOf(NEWLINE, read.length - 2) + 1 : 0;
      if (cut > 0) yield read.subarray(0, cut);
      rest = read.subarray(cut);
    }
    if (rest.length > 0) yield rest;
  } finally {
    await handle.close();
  }
}

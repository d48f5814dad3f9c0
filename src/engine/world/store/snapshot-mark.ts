// The last digit of a data file says whether a log belongs to it. It alone is changed in place, since a single byte is written or not:
// to 1 once the log exists and before its first commit, and back to 0 when the store is closed and the log is empty.
import { type FileHandle, open } from "node:fs/promises";
import { codeOf, explain } from "./store-error.ts";

const END = /"checksum":"[0-9a-f]{8}","open":([01])\}\n$/;
const LONGEST = 40;
/** The digit, a brace and a newline. */
const FROM_END = 3;

/** Whether a data file ends as we write it, so that it can be marked. */
export const isMarkable = (file: string): Promise<boolean> => within(file, "r", async (_, mark) => mark !== undefined);

/** Marks a data file, on the disk itself; false when it is gone, or another program has laid it out anew. */
export const mark = (file: string, isOpen: boolean): Promise<boolean> =>
  within(file, "r+", async (handle, mark, size) => {
    if (mark === undefined) return false;
    await handle.write(isOpen ? "1" : "0", size - FROM_END);
    await handle.datasync();
    return true;
  });

type Use = (handle: FileHandle, mark: string | undefined, size: number) => Promise<boolean>;

async function within(file: string, flags: string, use: Use): Promise<boolean> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, flags);
    const { size } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(LONGEST), 0, LONGEST, Math.max(0, size - LONGEST));
    return await use(handle, END.exec(buffer.toString("latin1", 0, bytesRead))?.[1], size);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw explain(`Cannot write ${file}`, error);
  } finally {
    await handle?.close();
  }
}

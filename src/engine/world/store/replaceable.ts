// What --fresh may replace: a data file, also a damaged one, and nothing else. A file is one by its own words, or by those beside it.
import { open } from "node:fs/promises";
import { generationsOf } from "./numbered-files.ts";
import { codeOf, explain, StoreError } from "./store-error.ts";

/** Bytes looked at from either end. */
const LOOKED_AT = 4096;
/** Whole files and damaged ones begin or end like this; laid out anew, the members have blanks between. */
const FIRST = /"format"\s*:\s*\d[\s\S]*"(?:generation|worlds)"\s*:/;
const LAST = /"checksum":"[0-9a-f]{8}","open":[01]\}\s*$/;

export async function mustBeReplaceable(file: string): Promise<void> {
  const found = await endsOf(file);
  // An empty file holds nothing that could be lost.
  if (found === undefined || found.size === 0 || FIRST.test(found.first) || LAST.test(found.last)) return;
  const beside = [...(await generationsOf(file, "journal")), ...(await generationsOf(file, "snapshot"))];
  if (beside.length > 0) return;
  throw new StoreError(
    `${file} is not a data file of a sandbox, and {option fresh} replaces nothing else; nothing was changed. Use another {option data} file, or move this one away`,
  );
}

/** How a file begins and ends; undefined where there is none. */
async function endsOf(file: string): Promise<{ size: number; first: string; last: string } | undefined> {
  const handle = await open(file, "r").catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw explain(`Cannot read ${file}`, error);
  });
  if (handle === undefined) return undefined;
  try {
    const { size } = await handle.stat();
    const textAt = async (at: number) => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(LOOKED_AT), 0, LOOKED_AT, at);
      // A byte each: half a character at the edge does no harm.
      return buffer.toString("latin1", 0, bytesRead);
    };
    return { size, first: await textAt(0), last: await textAt(Math.max(0, size - LOOKED_AT)) };
  } finally {
    await handle.close();
  }
}

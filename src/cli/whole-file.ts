// A file that a command leaves behind: it is there as a whole or not at all, and one that is there already is kept unless --force says
// otherwise.
import { closeSync, existsSync, linkSync, openSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Failure, Misuse, toMessage } from "./failure.ts";
import { option } from "./options.ts";

export const forceOption = option.flag("force", "Replace the file if it is there.");

/** Before the work begins. */
export function assertFree(file: string, force: boolean): void {
  if (existsSync(file) && statSync(file).isDirectory()) throw new Misuse(`${file} is a folder. Name a file in it.`);
  if (!existsSync(dirname(file)))
    throw new Misuse(`There is no folder ${dirname(file)}. Make it, or name another file.`);
  if (existsSync(file) && !force) throw new Misuse(explainExisting(file));
}

/** Throws a Failure and leaves nothing behind. Without `force` a file that has appeared since the check is not replaced. */
export function writeWhole(file: string, text: string, force: boolean): void {
  try {
    // A hard link, unlike a rename, fails if the file exists.
    replaceFile(file, text, { place: force ? renameSync : linkSync });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw new Failure(explainExisting(file));
    throw new Failure(`${file} can't be written: ${toMessage(error)}. Name another file.`);
  }
}

/** Writes beside the file and renames, so that no process reads half of it. `mode`: of a file that only its owner may read. */
export function replaceFile(
  file: string,
  text: string,
  { mode = 0o666, place = renameSync }: { mode?: number; place?: (draft: string, file: string) => void } = {},
): void {
  const draft = `${file}.${process.pid}.tmp`;
  try {
    // With "wx" a link of that name is not written through.
    rmSync(draft, { force: true });
    writeFileSync(draft, text, { flag: "wx", mode });
    place(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

const explainExisting = (file: string): string =>
  `${file} is there already. Name another file, or replace it with --force.`;

/** Before anything is run; a file that is not there is not left behind, in case nothing is written. */
export function assertWritable(label: string, output: string): void {
  const isNew = !existsSync(output);
  try {
    closeSync(openSync(output, "a"));
    if (isNew) rmSync(output);
  } catch (error) {
    throw new Misuse(`${label} ${output} can't be written: ${toMessage(error)}. Name another file.`);
  }
}

/** Throws a Failure. It may be a device or a pipe, so it is written in its place. */
export function writeOutput(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new Failure(`${file} can't be written: ${toMessage(error)}. Name another file.`);
  }
}

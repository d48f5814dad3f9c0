// Writes output files of commands. A file is never written partially, and an existing file is replaced only with --force.
import { closeSync, existsSync, openSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Failure, Misuse, toMessage } from "./failure.ts";
import { option } from "./options.ts";

export const forceOption = option.flag("force", "Replace an existing file.");

/** Checks the path before the work begins. */
export function assertFree(file: string, force: boolean): void {
  if (existsSync(file) && statSync(file).isDirectory()) throw new Misuse(`${file} is a folder. Name a file in it.`);
  if (!existsSync(dirname(file)))
    throw new Misuse(`There is no folder ${dirname(file)}. Make it, or name another file.`);
  if (existsSync(file) && !force) throw new Misuse(explainExisting(file));
}

/** Without `force`, a file that was created since the check is not replaced. Throws a Failure. */
export function writeWhole(file: string, text: string, force: boolean): void {
  try {
    if (force) replaceFile(file, text);
    else writeFileSync(file, text, { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw new Failure(explainExisting(file));
    throw new Failure(`${file} can't be written: ${toMessage(error)}. Name another file.`);
  }
}

/** Writes a draft and renames it, so that no process reads a partial file. `mode` are the permissions of the file. */
export function replaceFile(file: string, text: string, mode = 0o666): void {
  const draft = `${file}.${process.pid}.tmp`;
  try {
    // The flag "wx" fails for an existing link instead of writing to its target.
    rmSync(draft, { force: true });
    writeFileSync(draft, text, { flag: "wx", mode });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

const explainExisting = (file: string): string =>
  `${file} exists already. Name another file, or replace it with --force.`;

/** Checks before the work that the file can be written. A new file is removed again, in case nothing is written later. */
export function assertWritable(label: string, output: string): void {
  const isNew = !existsSync(output);
  try {
    closeSync(openSync(output, "a"));
    if (isNew) rmSync(output);
  } catch (error) {
    throw new Misuse(`${label} ${output} can't be written: ${toMessage(error)}. Name another file.`);
  }
}

/** Writes in place, because the path may be a device or a pipe. Throws a Failure. */
export function writeOutput(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new Failure(`${file} can't be written: ${toMessage(error)}. Name another file.`);
  }
}

// Runs the steps of the build, one at a time in all processes, and only if an input has changed or an output is missing.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

export const root = join(import.meta.dirname, "../..");

const POLL_MS = 50;
const TIMEOUT_MS = 180_000;

/**
 * Runs `work`, which writes files in `folder` and returns their names. A second process waits, and then finds that nothing has changed.
 * Returns whether anything had changed.
 */
export async function runStep({ name, folder, inputs, work }) {
  const stamp = join(folder, ".inputs");
  const lock = join(root, "node_modules/.cache", `experience-sandbox-${name}.lock`);
  for (const path of [folder, join(lock, "..")]) mkdirSync(path, { recursive: true });
  await acquireLock(lock);
  try {
    // The fingerprint is of contents, not of times, because a checkout gives every file a new time.
    const fingerprint = computeFingerprint(inputs);
    const [previous, ...outputs] = existsSync(stamp) ? readFileSync(stamp, "utf8").split("\n") : [];
    if (previous === fingerprint && outputs.every((file) => existsSync(join(folder, file)))) return false;
    // The stamp is removed first and written last, so that an interrupted build is repeated.
    rmSync(stamp, { force: true });
    writeAtomically(stamp, [fingerprint, ...(await work())].join("\n"));
    return true;
  } finally {
    rmSync(lock, { force: true });
  }
}

async function acquireLock(lock) {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    try {
      // `wx`: the file system lets exactly one process create the file.
      return writeFileSync(lock, `${process.pid}`, { flag: "wx" });
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    if (isAbandoned(lock)) rmSync(lock, { force: true });
    else if (Date.now() < deadline) await pause(POLL_MS);
    else
      throw new Error(`Another build has held ${lock} for ${TIMEOUT_MS / 1000} seconds. Delete it if no build runs.`);
  }
}

/** Returns whether the owner of the lock has ended. The owner of an empty lock has created it and writes its process id next. */
function isAbandoned(lock) {
  try {
    const pid = Number(readFileSync(lock, "utf8"));
    return pid === process.pid || (pid !== 0 && !process.kill(pid, 0));
  } catch (error) {
    return error.code === "ESRCH";
  }
}

/** Hashes every file in the given files and folders. */
function computeFingerprint(names) {
  const paths = names.map((name) => join(root, name)).filter((path) => existsSync(path));
  const files = paths.flatMap((path) => {
    if (!statSync(path).isDirectory()) return [path];
    const entries = readdirSync(path, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  });
  const hash = createHash("sha256");
  for (const file of files.sort()) {
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update("\0");
  }
  return hash.digest("hex");
}

/** Writes a temporary file and renames it, so that a reader never sees half a file. */
export function writeAtomically(path, text) {
  const temporary = `${path}.${process.pid}.half`;
  writeFileSync(temporary, text);
  renameSync(temporary, path);
}

/** Builds print to stderr: stdout belongs to the command that started the build (such as `sandbox --json`). */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/** Runs `program` if Node was started with this file. */
export const runIfMain = (file, program) => (process.argv[1] === file ? runProgram(program) : undefined);

/** A failure is printed, and the exit code is 1. */
export async function runProgram(program) {
  try {
    await program();
  } catch (error) {
    say(error.message);
    process.exitCode = 1;
  }
}

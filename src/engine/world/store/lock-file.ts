// One data file, one process: `<file>.lock` holds the pid of the process that has it open. The lock of a dead process is taken over;
// a second file guards the takeover, so that of two processes that find the same dead lock only one gets it.
import { linkSync, lstatSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isAlive } from "../../../platform/process-alive.ts";
import { codeOf, explain, OWNER_ONLY, StoreError } from "./store-error.ts";

/** Locks of this process, by path: two stores in one process have the same pid. */
const held = new Set<string>();
const PID = `${JSON.stringify({ pid: process.pid })}\n`;

/** Takes the lock of a data file, or throws with the pid of its owner. Returns the release, which also runs at exit. */
export function takeLock(file: string): () => void {
  const lock = `${file}.lock`;
  if (held.has(lock)) {
    throw new StoreError(`${file} is already open in this process; close it first, or use another --data file`);
  }
  if (!create(lock)) takeOver(file, lock);
  // One listener for all of them.
  if (held.size === 0) process.on("exit", releaseAll);
  held.add(lock);
  return () => release(lock);
}

/** The errors of file systems without hard links, such as that of a memory stick. */
const LINKLESS: readonly (string | undefined)[] = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

/** The file system gives the name to exactly one process; the pid is in the file before that, even if this process is killed. */
function create(path: string): boolean {
  const draft = `${path}.${process.pid}`;
  try {
    // Made anew: a link that lies there would be followed.
    rmSync(draft, { force: true });
    writeFileSync(draft, PID, { flag: "wx", mode: OWNER_ONLY });
    try {
      linkSync(draft, path);
    } catch (error) {
      if (!LINKLESS.includes(codeOf(error))) throw error;
      writeFileSync(path, PID, { flag: "wx", mode: OWNER_ONLY });
    }
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw explain(`Cannot write ${path}`, error);
  } finally {
    rmSync(draft, { force: true });
  }
}

function takeOver(file: string, lock: string): void {
  rejectWhenAlive(file, lock);
  const guard = `${lock}.takeover`;
  if (!create(guard)) {
    const owner = pidIn(guard) ?? "another process";
    throw new StoreError(`${file} is just being opened by ${owner}; if that is not so, delete ${guard} and try again`);
  }
  try {
    // Read again: another process may have taken the lock while it had the guard.
    rejectWhenAlive(file, lock);
    rmSync(lock, { force: true });
    if (!create(lock)) throw inUse(file, lock, pidIn(lock));
  } finally {
    rmSync(guard, { force: true });
  }
}

function rejectWhenAlive(file: string, lock: string): void {
  const pid = pidIn(lock);
  // Our own pid, and not in `held`: an earlier process had our number (usual in containers, where it is often 1).
  if (pid === null || pid === process.pid) return;
  if (pid === undefined || isAlive(pid)) throw inUse(file, lock, pid);
}

function inUse(file: string, lock: string, pid: number | null | undefined): StoreError {
  if (pid) {
    return new StoreError(
      `${file} is in use by process ${pid} (${lock}); stop it, or use another --data file, or --memory`,
    );
  }
  return new StoreError(
    `${file} is in use: ${lock} names no process; if none has it open, delete ${lock} and try again`,
  );
}

/** The pid in a lock; null when there is no lock, undefined when it cannot be read (its writer has just created it). */
function pidIn(path: string): number | null | undefined {
  try {
    // What is not a file, such as a named pipe, might never be read to its end.
    if (!lstatSync(path).isFile()) return undefined;
    const found: unknown = JSON.parse(readFileSync(path, "utf8"));
    const pid = typeof found === "object" && found !== null && "pid" in found ? found.pid : undefined;
    return typeof pid === "number" && Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch (error) {
    return codeOf(error) === "ENOENT" ? null : undefined;
  }
}

function release(lock: string): void {
  if (!held.delete(lock)) return;
  if (held.size === 0) process.off("exit", releaseAll);
  try {
    // Somebody may have deleted it by hand, and another process taken it.
    if (pidIn(lock) === process.pid) rmSync(lock, { force: true });
  } catch {
    // A lock that cannot be removed names a process that will be dead: the next one takes it over.
  }
}

function releaseAll(): void {
  for (const lock of [...held]) release(lock);
}

// One data file, one process: `<file>.lock` holds the pid of the process that has it open, and when that began. The lock of a dead process
// is taken over; a second file guards the takeover, so that of two processes that find the same dead lock only one gets it.
import { linkSync, lstatSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { threadId } from "node:worker_threads";
import { isAlive } from "../../../platform/process-alive.ts";
import { codeOf, explain, OWNER_ONLY, StoreError } from "./store-error.ts";

/** `since`: in all threads of a process the same; in its namesake, as is usual in containers, another. Earlier versions wrote none. */
type Owner = { pid: number; since?: number };

/** Locks of this thread, by path. */
const held = new Set<string>();
const OWN: Owner = { pid: process.pid, since: performance.timeOrigin };

/** Takes the lock of a data file, or throws with the pid of its owner. Returns the release, which also runs at exit. */
export function takeLock(file: string): () => void {
  const lock = `${file}.lock`;
  if (held.has(lock)) throw inUse(file, lock, OWN);
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
  const draft = `${path}.${process.pid}.${threadId}`;
  const text = `${JSON.stringify(OWN)}\n`;
  try {
    // Made anew: a link that lies there would be followed.
    rmSync(draft, { force: true });
    writeFileSync(draft, text, { flag: "wx", mode: OWNER_ONLY });
    try {
      linkSync(draft, path);
    } catch (error) {
      if (!LINKLESS.includes(codeOf(error))) throw error;
      writeFileSync(path, text, { flag: "wx", mode: OWNER_ONLY });
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
    const owner = ownerIn(guard)?.pid ?? "another process";
    throw new StoreError(`${file} is just being opened by ${owner}; if that is not so, delete ${guard} and try again`);
  }
  try {
    // Read again: another process may have taken the lock while it had the guard.
    rejectWhenAlive(file, lock);
    rmSync(lock, { force: true });
    if (!create(lock)) throw inUse(file, lock, ownerIn(lock));
  } finally {
    rmSync(guard, { force: true });
  }
}

function rejectWhenAlive(file: string, lock: string): void {
  const owner = ownerIn(lock);
  if (owner === null) return;
  const isEarlier = owner?.pid === OWN.pid && owner.since !== OWN.since;
  if (!owner || (!isEarlier && isAlive(owner.pid))) throw inUse(file, lock, owner);
}

function inUse(file: string, lock: string, owner: Owner | null | undefined): StoreError {
  if (owner?.pid === OWN.pid) {
    return new StoreError(
      `${file} is already open in this process; close it first, or use another --data file; if the thread that had it was terminated, delete ${lock}`,
    );
  }
  if (owner) {
    return new StoreError(
      `${file} is in use by process ${owner.pid} (${lock}); stop it, or use another --data file, or --memory`,
    );
  }
  return new StoreError(
    `${file} is in use: ${lock} names no process; if none has it open, delete ${lock} and try again`,
  );
}

/** The owner in a lock; null when there is no lock, undefined when it cannot be read (its writer has just created it). */
function ownerIn(path: string): Owner | null | undefined {
  try {
    // What is not a file, such as a named pipe, might never be read to its end.
    if (!lstatSync(path).isFile()) return undefined;
    const { pid, since }: Partial<Owner> = JSON.parse(readFileSync(path, "utf8")) ?? {};
    return pid !== undefined && Number.isInteger(pid) && pid > 0 ? { pid, ...(since ? { since } : {}) } : undefined;
  } catch (error) {
    return codeOf(error) === "ENOENT" ? null : undefined;
  }
}

function release(lock: string): void {
  if (!held.delete(lock)) return;
  if (held.size === 0) process.off("exit", releaseAll);
  try {
    // Somebody may have deleted it by hand, and another process taken it.
    if (ownerIn(lock)?.pid === OWN.pid) rmSync(lock, { force: true });
  } catch {
    // A lock that cannot be removed names a process that will be dead: the next one takes it over.
  }
}

function releaseAll(): void {
  for (const lock of [...held]) release(lock);
}

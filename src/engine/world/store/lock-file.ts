// One data file, one process: `<file>.lock` holds the pid of the process that has it open, when that began, and where its pid means
// something. The lock of a dead process is taken over; a second file guards the takeover, so that of two processes that find the same dead
// lock only one gets it. A process of another container or machine can't be asked for by its pid: it is alive while it touches its lock.
import { linkSync, lstatSync, readFileSync, readlinkSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { threadId } from "node:worker_threads";
import { findProcessStart, isSameProcess } from "../../../platform/process-alive.ts";
import { codeOf, explain, OWNER_ONLY, StoreError } from "./store-error.ts";

/**
 * `since`: in all threads of a process the same; in its namesake, as is usual in containers, another. `started`: when the system started the
 * process, since another program may have got its pid. Earlier versions wrote the pid alone.
 */
type Owner = { pid: number; since?: number; space?: string; started?: string | undefined };

/** How often a lock is touched, and how long one that is not touched is watched before its owner is dead: longer than any turn of work. */
const [TOUCHED_MS, SILENT_MS] = [1_000, 10_000];
/** Clocks of machines differ less than by that, so that a lock of before needs no watching. */
const OLD_MS = 60_000;
const LOOK_MS = 100;

/** Locks of this thread, by path. */
const held = new Set<string>();
const OWN: Owner = {
  pid: process.pid,
  since: performance.timeOrigin,
  space: spaceOfPids(),
  started: findProcessStart(process.pid),
};

/** One system since its start, and in it one namespace of pids: each container has its own. */
function spaceOfPids(): string {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

/** Takes the lock of a data file, or rejects with the pid of its owner. Resolves to the release, which also runs at exit. */
export async function takeLock(file: string): Promise<() => void> {
  const lock = `${file}.lock`;
  if (held.has(lock)) throw inUse(file, lock, OWN);
  if (!create(lock)) await takeOver(file, lock);
  const touching = setInterval(touch, TOUCHED_MS, lock).unref();
  // One listener for all of them.
  if (held.size === 0) process.on("exit", releaseAll);
  held.add(lock);
  return () => {
    clearInterval(touching);
    release(lock);
  };
}

function touch(lock: string): void {
  try {
    const now = Date.now() / 1000;
    utimesSync(lock, now, now);
  } catch {
    // Deleted by hand, or the folder is gone.
  }
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

async function takeOver(file: string, lock: string): Promise<void> {
  const owner = ownerIn(lock);
  // Before the guard, since it takes long.
  const gone = owner && isElsewhere(owner) && !(await isTouched(lock)) ? owner : undefined;
  rejectWhenAlive(file, lock, gone);
  const guard = `${lock}.takeover`;
  if (!create(guard)) {
    const owner = ownerIn(guard)?.pid ?? "another process";
    throw new StoreError(`${file} is just being opened by ${owner}; if that is not so, delete ${guard} and try again`);
  }
  try {
    // Read again: another process may have taken the lock while it had the guard.
    rejectWhenAlive(file, lock, gone);
    rmSync(lock, { force: true });
    if (!create(lock)) throw inUse(file, lock, ownerIn(lock));
  } finally {
    rmSync(guard, { force: true });
  }
}

/** `gone`: the owner elsewhere that touches its lock no more. Another one has taken it since, and is alive. */
function rejectWhenAlive(file: string, lock: string, gone: Owner | undefined): void {
  const owner = ownerIn(lock);
  if (owner === null || (gone && isDeepStrictEqual(owner, gone))) return;
  if (!owner || isElsewhere(owner) || isRunning(owner)) throw inUse(file, lock, owner);
}

/** Its process, and not another one that has the same pid now. */
function isRunning({ pid, since, started }: Owner): boolean {
  return pid === OWN.pid ? since === OWN.since : isSameProcess(pid, started);
}

const isElsewhere = ({ space = OWN.space }: Owner): boolean => space !== OWN.space;

/** Whether its owner touches it. A process that is not there for so long, such as in a container that is paused, counts as dead. */
async function isTouched(lock: string): Promise<boolean> {
  const touchedAt = () => statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  const before = touchedAt();
  if (before === undefined || Date.now() - before > OLD_MS) return false;
  for (let watched = 0; watched < SILENT_MS; watched += LOOK_MS) {
    await pause(LOOK_MS);
    const now = touchedAt();
    if (now !== before) return now !== undefined;
  }
  return false;
}

function inUse(file: string, lock: string, owner: Owner | null | undefined): StoreError {
  if (owner && isElsewhere(owner)) {
    return new StoreError(
      `${file} is in use in another container or on another machine, by process ${owner.pid} there (${lock}); stop it, or use another {option data} file{option orMemory}`,
    );
  }
  if (owner?.pid === OWN.pid) {
    return new StoreError(
      `${file} is already open in this process; close it first, or use another {option data} file; if the thread that had it was terminated, delete ${lock}`,
    );
  }
  if (owner) {
    return new StoreError(
      `${file} is in use by process ${owner.pid} (${lock}); stop it, or use another {option data} file{option orMemory}`,
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
    const { pid, since, space, started }: Partial<Owner> = JSON.parse(readFileSync(path, "utf8")) ?? {};
    if (pid === undefined || !Number.isInteger(pid) || pid <= 0) return undefined;
    return { pid, ...(since ? { since } : {}), ...(space ? { space } : {}), ...(started ? { started } : {}) };
  } catch (error) {
    return codeOf(error) === "ENOENT" ? null : undefined;
  }
}

function release(lock: string): void {
  if (!held.delete(lock)) return;
  if (held.size === 0) process.off("exit", releaseAll);
  try {
    // Somebody may have deleted it by hand, and another process taken it.
    if (isDeepStrictEqual(ownerIn(lock), OWN)) rmSync(lock, { force: true });
  } catch {
    // A lock that cannot be removed names a process that will be dead: the next one takes it over.
  }
}

function releaseAll(): void {
  for (const lock of [...held]) release(lock);
}

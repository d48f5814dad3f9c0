// Locks a data file for one process, which `<file>.lock` names. The lock of a process that has ended is replaced. A
// process of another container can't be found by its id, so it counts as alive while it touches its lock.
import fs from "node:fs";
import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { findProcessStart, isSameProcess } from "../../platform/process-alive.ts";
import { explain, OWNER_ONLY, readErrorCode, StoreError } from "./store-error.ts";

const TOUCH_MS = 1_000;
const POLL_MS = 100;
/**
 * A lock that is not touched for this time belongs to a process that has ended. A lock older than `OLD_MS` is replaced
 * without a wait.
 */
const SILENT_MS = 10_000;
const OLD_MS = 60_000;
const BOOT = readText("/proc/sys/kernel/random/boot_id").trim() || hostname();
/** The scope of process ids: each container has its own, and each start of a machine begins again. */
const SPACE = `${BOOT}/${fs.statSync("/proc/self/ns/pid", { throwIfNoEntry: false })?.ino}`;
/** The id of the process; its start, since ids are reused; and the scope of the id. */
const OWN_TEXT = `${process.pid} ${findProcessStart(process.pid) ?? performance.timeOrigin} ${SPACE}`;

/**
 * Takes the lock of a data file, or rejects with a StoreError that names its owner. Returns the function that releases
 * it.
 */
export async function takeLock(file: string): Promise<() => void> {
  const lock = `${file}.lock`;
  if (!createLock(lock)) await replaceLock(file, lock);
  const timer = setInterval(() => fs.utimes(lock, Date.now() / 1000, Date.now() / 1000, () => {}), TOUCH_MS).unref();
  return () => {
    clearInterval(timer);
    // A person may have deleted the lock, and another process may have taken it since.
    if (readText(lock) === OWN_TEXT) fs.rmSync(lock, { force: true });
  };
}

function createLock(path: string): boolean {
  try {
    fs.writeFileSync(path, OWN_TEXT, { flag: "wx", mode: OWNER_ONLY });
    return true;
  } catch (error) {
    if (readErrorCode(error) === "EEXIST") return false;
    throw explain(`Cannot write ${path}`, error);
  }
}

/** Replaces an old lock. A second lock ensures that only one of two processes does so. */
async function replaceLock(file: string, lock: string): Promise<void> {
  const text = readText(lock);
  if (await isAlive(lock, text)) throw createInUseError(file, lock);
  const guard = `${lock}.takeover`;
  if (!createLock(guard)) throw createInUseError(file, guard);
  try {
    if (readText(lock) === text) fs.rmSync(lock, { force: true });
    if (!createLock(lock)) throw createInUseError(file, lock);
  } finally {
    fs.rmSync(guard, { force: true });
  }
}

async function isAlive(lock: string, text: string): Promise<boolean> {
  const [pid, started, space] = text.split(" ");
  if (space === SPACE) return text === OWN_TEXT || (Number(pid) !== process.pid && isSameProcess(Number(pid), started));
  const touched = findTouched(lock);
  if (Date.now() - touched > OLD_MS) return false;
  for (let waited = 0; waited < SILENT_MS; waited += POLL_MS) {
    await pause(POLL_MS);
    if (findTouched(lock) !== touched) return fs.existsSync(lock);
  }
  return false;
}

const findTouched = (path: string): number => fs.lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Returns "" for a missing file. */
function readText(path: string): string {
  try {
    return fs.readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function createInUseError(file: string, lock: string): StoreError {
  const text = readText(lock);
  const [pid, , space] = text.split(" ");
  const where = space === SPACE ? "" : " of another container or machine";
  const owner = text === OWN_TEXT ? "this process, or a thread of it" : `process ${pid}${where}`;
  return new StoreError(`${file} is in use by ${owner} (${lock}); stop it, or use another {option data} file`);
}

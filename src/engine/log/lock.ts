// One data file, one process: `<file>.lock` names the process that has it open. The lock of a process that has ended is replaced. A process
// of another container can't be found by its id, so it is alive while it touches its lock.
import fs from "node:fs";
import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { findProcessStart, isSameProcess } from "../../platform/process-alive.ts";
import { codeOf, explain, OWNER_ONLY, StoreError } from "./store-error.ts";

const TOUCH_MS = 1_000;
const LOOK_MS = 100;
/** A lock that is not touched for so long belongs to a process that has ended. A lock older than `OLD_MS` is replaced without a wait. */
const SILENT_MS = 10_000;
const OLD_MS = 60_000;
const BOOT = read("/proc/sys/kernel/random/boot_id").trim() || hostname();
/** Each container has its own ids of processes, and each start of a machine begins them again. */
const SPACE = `${BOOT}/${fs.statSync("/proc/self/ns/pid", { throwIfNoEntry: false })?.ino}`;
/** The id of the process; when it started, since ids are reused; and where the id is valid. */
const OWN_TEXT = `${process.pid} ${findProcessStart(process.pid) ?? performance.timeOrigin} ${SPACE}`;

/** Takes the lock of a data file, or rejects with a StoreError that names its owner. Returns the function that releases it. */
export async function takeLock(file: string): Promise<() => void> {
  const lock = `${file}.lock`;
  if (!create(lock)) await replaceLock(file, lock);
  const timer = setInterval(() => fs.utimes(lock, Date.now() / 1000, Date.now() / 1000, () => {}), TOUCH_MS).unref();
  const release = () => {
    clearInterval(timer);
    // A person may have deleted it, and another process may have taken it since.
    if (read(lock) === OWN_TEXT) fs.rmSync(lock, { force: true });
    releases.delete(release);
    if (releases.size === 0) process.off("exit", releaseAll);
  };
  if (releases.size === 0) process.on("exit", releaseAll);
  releases.add(release);
  return release;
}

/** Of the locks that this process has. A process that exits without closing leaves none of them. */
const releases = new Set<() => void>();
const releaseAll = () => {
  for (const release of releases) release();
};

function create(path: string): boolean {
  try {
    fs.writeFileSync(path, OWN_TEXT, { flag: "wx", mode: OWNER_ONLY });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw explain(`Cannot write ${path}`, error);
  }
}

/** A second lock, so that of two processes that find the same old lock only one replaces it. */
async function replaceLock(file: string, lock: string): Promise<void> {
  const text = read(lock);
  if (await isAlive(lock, text)) throw inUse(file, lock);
  const guard = `${lock}.takeover`;
  if (!create(guard)) throw inUse(file, guard);
  try {
    if (read(lock) === text) fs.rmSync(lock, { force: true });
    if (!create(lock)) throw inUse(file, lock);
  } finally {
    fs.rmSync(guard, { force: true });
  }
}

async function isAlive(lock: string, text: string): Promise<boolean> {
  const [pid, started, space] = text.split(" ");
  if (space === SPACE) return text === OWN_TEXT || (Number(pid) !== process.pid && isSameProcess(Number(pid), started));
  const touched = findTouched(lock);
  const isOld = Date.now() - touched > OLD_MS;
  for (let waited = 0; !isOld && waited < SILENT_MS; waited += LOOK_MS) {
    await pause(LOOK_MS);
    const now = findTouched(lock);
    if (now !== touched) return now > 0;
  }
  return false;
}

const findTouched = (path: string): number => fs.lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Returns "" where there is no file. */
function read(path: string): string {
  try {
    return fs.readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function inUse(file: string, lock: string): StoreError {
  const text = read(lock);
  const [pid, , space] = text.split(" ");
  const where = space === SPACE ? "" : " of another container or machine";
  const owner = text === OWN_TEXT ? "this process, or a thread of it" : `process ${pid}${where}`;
  const advice = "stop it, or use another {option data} file{option orMemory}";
  return new StoreError(`${file} is in use by ${owner} (${lock}); ${advice}`);
}

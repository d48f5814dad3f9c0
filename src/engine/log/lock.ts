// One data file, one process: `<file>.lock` names the process that has it open. The lock of a process that has ended is replaced. A process
// of another container can't be found by its id, so it is alive while it touches its lock.
import fs from "node:fs";
import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { findProcessStart, isSameProcess } from "../../platform/process-alive.ts";
import { codeOf, explain, OWNER_ONLY, StoreError } from "./store-error.ts";

/** `space`: where the id is valid. `since` is the same for all threads of a process, `started` is what the system says about it. */
interface Owner {
  pid: number;
  since?: number;
  space?: string;
  started?: string | undefined;
}

const OWN: Owner = {
  ...{ pid: process.pid, since: performance.timeOrigin },
  ...{ space: findSpace(), started: findProcessStart(process.pid) },
};
const OWN_TEXT = `${JSON.stringify(OWN)}\n`;
const [TOUCH_MS, LOOK_MS] = [1_000, 100];
/** A lock that is not touched for so long belongs to a process that has ended. A lock older than `OLD_MS` is replaced without a wait. */
const [SILENT_MS, OLD_MS] = [10_000, 60_000];
const NO_FILE = "not a file";
const held = new Map<string, () => void>();
process.on("exit", () => held.forEach((release) => void release()));

/** Each container has its own ids of processes, and each start of a machine begins them again. */
function findSpace(): string {
  try {
    const boot = fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${fs.readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

/** Takes the lock of a data file, or rejects with a StoreError that names its owner. Returns the function that releases it. */
export async function takeLock(file: string): Promise<() => void> {
  const lock = `${file}.lock`;
  if (!create(lock)) await replaceLock(file, lock);
  const timer = setInterval(() => fs.utimes(lock, Date.now() / 1000, Date.now() / 1000, () => {}), TOUCH_MS).unref();
  const release = () => {
    clearInterval(timer);
    // A person may have deleted it, and another process may have taken it since.
    if (held.delete(lock) && read(lock) === OWN_TEXT) fs.rmSync(lock, { force: true });
  };
  held.set(lock, release);
  return release;
}

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
  if (await isAlive(lock, text)) throw inUse(file, lock, text);
  const guard = `${lock}.takeover`;
  if (!create(guard)) {
    const other = parseOwner(read(guard))?.pid ?? "another process";
    throw new StoreError(`${file} is just being opened by ${other}; if that is not so, delete ${guard} and try again`);
  }
  try {
    const current = read(lock);
    if (current !== undefined && current !== text) throw inUse(file, lock, current);
    fs.rmSync(lock, { force: true });
    if (!create(lock)) throw inUse(file, lock, read(lock));
  } finally {
    fs.rmSync(guard, { force: true });
  }
}

async function isAlive(lock: string, text: string | undefined): Promise<boolean> {
  const owner = parseOwner(text);
  if (owner && (owner.space ?? OWN.space) === OWN.space)
    return owner.pid === OWN.pid ? owner.since === OWN.since : isSameProcess(owner.pid, owner.started);
  if (text === NO_FILE) return true;
  const findTouched = () => fs.lstatSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  const touched = findTouched();
  if (touched === undefined || Date.now() - touched > OLD_MS) return false;
  for (let waited = 0; waited < SILENT_MS; waited += LOOK_MS) {
    await pause(LOOK_MS);
    const now = findTouched();
    if (now !== touched) return now !== undefined;
  }
  return false;
}

/** Returns undefined where there is no file. Reading a named pipe might never end. */
function read(path: string): string | undefined {
  try {
    return fs.lstatSync(path).isFile() ? fs.readFileSync(path, "utf8") : NO_FILE;
  } catch {
    return undefined;
  }
}

function parseOwner(text = ""): Owner | undefined {
  try {
    const owner = JSON.parse(text) as Owner | null;
    return Number.isInteger(owner?.pid) && Number(owner?.pid) > 0 ? (owner ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}

function inUse(file: string, lock: string, text: string | undefined): StoreError {
  const owner = parseOwner(text);
  const otherwise = "or use another {option data} file{option orMemory}";
  if (!owner) return new StoreError(`${file} is in use: ${lock} names no process; delete it if none has the file open`);
  if (owner.pid === OWN.pid && owner.since === OWN.since)
    return new StoreError(
      `${file} is already open in this process; close it first, or use another {option data} file; if the thread that had it was terminated, delete ${lock}`,
    );
  const isHere = (owner.space ?? OWN.space) === OWN.space;
  const where = isHere
    ? `by process ${owner.pid}`
    : `in another container or on another machine, by process ${owner.pid} there`;
  return new StoreError(`${file} is in use ${where} (${lock}); stop it, ${otherwise}`);
}

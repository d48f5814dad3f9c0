// Runs one build at a time. A second build, in this process or another, waits for the first and then finds that all outputs are current.
// The lock of a dead process is ignored.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { root } from "./changed.mjs";

const POLL_MS = 50;
const TIMEOUT_MS = 180_000;
const ownLocks = new Set();

/** Runs `work` while no other process runs work with this name. */
export async function runExclusively(name, work) {
  const lock = join(root, "node_modules", ".cache", `experience-sandbox-${name}.lock`);
  mkdirSync(dirname(lock), { recursive: true });
  const deadline = Date.now() + TIMEOUT_MS;
  while (!acquireLock(lock)) {
    if (Date.now() > deadline)
      throw new Error(
        `Another build has held ${lock} for ${TIMEOUT_MS / 1000} seconds. If no other build is running, delete the file.`,
      );
    await pause(POLL_MS);
  }
  try {
    return await work();
  } finally {
    ownLocks.delete(lock);
    rmSync(lock, { force: true });
  }
}

function acquireLock(lock) {
  if (ownLocks.has(lock)) return false;
  try {
    // `wx`: the file system lets exactly one process create the file.
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    ownLocks.add(lock);
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    if (isDead(lock)) rmSync(lock, { force: true });
    return false;
  }
}

/** Returns whether the owner of the lock has ended. The owner of an empty lock has created it and writes its process id next. */
function isDead(lock) {
  try {
    const pid = Number(readFileSync(lock, "utf8"));
    if (pid === 0) return false;
    if (pid === process.pid) return true;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === "ESRCH";
  }
}

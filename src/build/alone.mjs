// One build at a time: a second one, in this process or another, waits for the first and then finds nothing left to do. The lock of a
// dead process is ignored.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { root } from "./changed.mjs";

const POLL_MS = 50;
const PATIENCE_MS = 180_000;
const held = new Set();

/** Runs `work` while no other process runs work of this name. */
export async function alone(name, work) {
  const lock = join(root, "node_modules", ".cache", `experience-sandbox-${name}.lock`);
  mkdirSync(dirname(lock), { recursive: true });
  const until = Date.now() + PATIENCE_MS;
  while (!take(lock)) {
    if (Date.now() > until) throw new Error(`Another build has held ${lock} for minutes. If there is none, delete it.`);
    await pause(POLL_MS);
  }
  try {
    return await work();
  } finally {
    held.delete(lock);
    rmSync(lock, { force: true });
  }
}

function take(lock) {
  if (held.has(lock)) return false;
  try {
    // `wx`: the file system lets exactly one process create the file.
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    held.add(lock);
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    if (isDead(lock)) rmSync(lock, { force: true });
    return false;
  }
}

/** An empty lock has just been created, and its writer is about to name itself. */
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

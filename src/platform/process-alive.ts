// Whether a process still runs, by its id: for the lock of a data file, and for the file that names a running sandbox.
import { readFileSync } from "node:fs";

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
  return !isZombie(pid);
}

/** Dead, but its parent has not asked how it ended: common under a container's first process. Only Linux tells. */
function isZombie(pid: number): boolean {
  try {
    // `pid (name) state …`, and the name may hold blanks and parentheses.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return /^ [ZX]/.test(stat.slice(stat.lastIndexOf(")") + 1));
  } catch {
    return false;
  }
}

// Checks by its id whether a process still runs: for the lock of a data file, and for the file that names a running sandbox.
import { readFileSync } from "node:fs";

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
  // A zombie has ended, but its parent has not read its exit code, which is common under a container's first process.
  const [state] = readStat(pid);
  return state !== "Z" && state !== "X";
}

/**
 * Returns when a process started, in clock ticks since the machine did. Process ids are reused, and each container
 * counts its own; id and start together identify a process. Returns undefined on systems other than Linux.
 */
export function findProcessStart(pid: number): string | undefined {
  return readStat(pid)[19];
}

/** Whether the process with this id and this start still runs here. If a start is unknown, the id decides. */
export function isSameProcess(pid: number, start: string | undefined): boolean {
  const current = findProcessStart(pid);
  return isAlive(pid) && (start === undefined || current === undefined || start === current);
}

/** Returns the fields of `/proc/<pid>/stat` after the name, or none if there is no such file. */
function readStat(pid: number): string[] {
  try {
    // The line is `pid (name) state …`, and the name may contain spaces and parentheses.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

// How long this thread has computed, for tests that bound a cost beside other programs.
import { readFileSync } from "node:fs";

/** Milliseconds for which this thread had a processor; where the system is not Linux, of real time. */
function readThreadTime(): number {
  if (process.platform !== "linux") return performance.now();
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
}

/** The least that one of several pieces of work has cost: the first ones also compile the code. */
export async function measureLeast(works: readonly (() => Promise<unknown>)[]): Promise<number> {
  const costs: number[] = [];
  for (const work of works) {
    const began = readThreadTime();
    await work();
    costs.push(readThreadTime() - began);
  }
  return Math.min(...costs);
}

// Reads the log of a world repeatedly while a program runs. Drills react to new entries, and the runner sees when a
// program is at rest.
import { setTimeout as pause } from "node:timers/promises";
import { excludeByHand, readLogAfter } from "../client/log-after.ts";
import { type Entry, type Live, listWorlds } from "./observed.ts";
import type { RunContext } from "./run-context.ts";

export interface WatchedRun extends Live {
  /** Real milliseconds since the last entry or the start. */
  quietFor(): number;
  /** Reads the remaining entries, and stops. */
  end(): Promise<readonly Entry[]>;
}

/**
 * Starts reading immediately. Callers must call `end`, or it reads forever. `run`: include the worlds that the program
 * creates.
 */
export function watchRun({ control, controlIn, world }: RunContext, everyMs: number, run = false): WatchedRun {
  const entries: Entry[] = [];
  const waiting = new Set<() => void>();
  let [last, changedAt, isRunning] = [0, performance.now(), true];
  const read = async () => {
    const { items } = await readLogAfter(control, last, { run });
    last = items.at(-1)?.seq ?? last;
    const added = excludeByHand(items);
    if (added.length === 0) return;
    entries.push(...added);
    changedAt = performance.now();
    // The set is copied, because a caller that wakes may wait again.
    for (const wake of [...waiting]) wake();
  };
  const reading = (async () => {
    while (isRunning) {
      await read();
      await pause(everyMs);
    }
  })();
  // The error is thrown by `end`, which awaits the loop.
  reading.catch(() => undefined);
  const next = (fits: (entry: Entry) => boolean) =>
    new Promise<Entry | undefined>((resolve) => {
      const look = () => {
        const found = entries.find(fits);
        if (found === undefined && isRunning) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  return {
    control,
    controlIn,
    worlds: () => listWorlds(entries, world),
    entries: () => entries,
    next: next as Live["next"],
    running: () => isRunning,
    quietFor: () => performance.now() - changedAt,
    async end() {
      isRunning = false;
      // The last read may have missed newer entries, so the log is read again.
      await reading;
      await read();
      for (const wake of [...waiting]) wake();
      return entries;
    },
  };
}

// The log of a world as it grows, read again and again while a program runs in it: a drill reacts to it, and the runner sees by it
// whether a program that serves has come to rest.
import { setTimeout as pause } from "node:timers/promises";
import { excludeByHand, readLogAfter } from "../client/log-after.ts";
import { type Entry, type Live, worldsIn } from "./observed.ts";
import type { RunContext } from "./run-context.ts";

export interface WatchedRun extends Live {
  /** Real milliseconds since the last entry, or since the beginning. */
  quietFor(): number;
  /** Reads what is left, and reads no more. */
  end(): Promise<readonly Entry[]>;
}

/** Starts reading at once. `end` must be called, or it reads for ever. `run`: also the worlds that the program makes. */
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
    // A copy: whoever is woken may wait again.
    for (const wake of [...waiting]) wake();
  };
  const reading = (async () => {
    while (isRunning) {
      await read();
      await pause(everyMs);
    }
  })();
  // Its failure is thrown where the run is ended, which awaits it.
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
    worlds: () => worldsIn(entries, world),
    entries: () => entries,
    next: next as Live["next"],
    running: () => isRunning,
    quietFor: () => performance.now() - changedAt,
    async end() {
      isRunning = false;
      // One reading may be under way; what was logged since its beginning is read below.
      await reading;
      await read();
      for (const wake of [...waiting]) wake();
      return entries;
    },
  };
}

// In which world a piece of evidence is, so that a console can lead there.
import type { Evidence } from "./check.ts";
import type { Observed } from "./observed.ts";

/** Of runs in worlds that are kept. What the program printed is in none. */
export function located(evidence: readonly Evidence[], runs: readonly Observed[]): Evidence[] {
  return evidence.map((each) => {
    const run = runs.find((observed) => has(observed, each.id));
    return run ? { ...each, world: run.world } : each;
  });
}

const has = ({ entries, messages, bookings }: Observed, id: string): boolean =>
  [entries, messages, bookings].some((records) => records.some((record) => record.id === id));

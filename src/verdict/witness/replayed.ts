// The runs of a client as the judges ask for them: each run that they would make is found among those that were made, by what was done to
// the program in its world. Where none is, nothing is signed.
import type { Drill } from "../check.ts";
import type { MakeRun } from "../judge.ts";
import type { Observed } from "../observed.ts";
import type { Plan } from "../run.ts";
import { type ClaimedRun, NotWitnessed, type WitnessedRun } from "./run-in-world.ts";

interface Replaying {
  runs: readonly ClaimedRun[];
  read(claimed: ClaimedRun): Promise<WitnessedRun>;
  observed(run: WitnessedRun): Observed;
}

export function replayed({ runs, read, observed }: Replaying): MakeRun {
  // Each run is used once.
  const left = [...runs];
  return async (plan) => {
    // A drill that was repeated counts as it was the last time. Drills are made by the first run without one.
    const inOrder = [...left.keys()];
    for (const at of plan.name === "control" ? inOrder : inOrder.reverse()) {
      const claimed = left[at] as ClaimedRun;
      if (claimed.name !== plan.name || claimed.drill !== (plan.drill?.name ?? null)) continue;
      // Read when it is needed: all logs at once would fill the memory of the node.
      const run = await read(claimed);
      if (!isArmed(run.armed, plan.drill)) continue;
      left.splice(at, 1);
      return observed(run);
    }
    throw new NotWitnessed(notThere(plan));
  };
}

const notThere = ({ name, drill }: Plan): string =>
  `None of the worlds that were named is that of a run for ${[name, drill?.name].filter(Boolean).join(" ")}${drill?.faults ? `, with ${drill.faults.length === 1 ? "its fault" : `its ${drill.faults.length} faults`} armed` : ""}. Run \`sandbox certify\` of the version that the sandbox has.`;

/** Each fault is there as it would be armed, and no other one; the world has more members of it. */
function isArmed(armed: WitnessedRun["armed"], drill: Drill | undefined): boolean {
  const faults = drill?.faults ?? [];
  if (armed.length !== faults.length) return false;
  return faults.every((fault, at) => {
    const there = armed[at] as Readonly<Record<string, unknown>> | undefined;
    return Object.entries(fault).every(([name, value]) => JSON.stringify(there?.[name]) === JSON.stringify(value));
  });
}

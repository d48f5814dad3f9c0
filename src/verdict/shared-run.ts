// Combines drills into one run if they don't interfere. A program that passes with all of them passes with each;
// otherwise each drill is run alone.
import type { Drill, DrillCheck, Judgement } from "./check.ts";
import { isUnaffected } from "./compare.ts";
import type { Observed } from "./observed.ts";

/** A drill of a check. */
export interface Task {
  check: DrillCheck;
  drill: Drill;
}

/** Groups the drills that can share a run, at least two each. */
export function groupShared(tasks: readonly Task[]): Task[][] {
  const names = [...new Set(tasks.flatMap(({ drill }) => drill.shares ?? []))];
  return names.map((name) => tasks.filter(({ drill }) => drill.shares === name)).filter(({ length }) => length > 1);
}

/** Names each fault after its drill. */
export const combineDrills = (tasks: readonly Task[]): Drill => ({
  faults: tasks.flatMap((task) => (task.drill.faults ?? []).map((fault) => ({ ...fault, name: formatTaskName(task) }))),
});

const formatTaskName = ({ check, drill }: Task): string => [check.id, drill.name].filter(Boolean).join(" ");

/** Judges one drill by the shared run. Returns undefined if the drill must be run alone. */
export function judgeShared(task: Task, observed: Observed, control: Observed): Judgement | undefined {
  const judgement = task.check.judge(selectFaults(task, observed), control, task.drill);
  // "Not exercised" counts only if the program made all requests of the control run.
  const isFinal =
    judgement.outcome === "pass" || (judgement.outcome === "not-exercised" && isUnaffected(observed, control));
  return isFinal ? judgement : undefined;
}

/** Keeps only the faults of this drill. */
function selectFaults(task: Task, observed: Observed): Observed {
  const name = formatTaskName(task);
  return {
    ...observed,
    requests: observed.requests.map((each) => ({ ...each, faults: each.faults.filter((hit) => hit.name === name) })),
    armed: observed.armed.filter((fault) => fault.name === name),
  };
}

// Drills that only change answers, or that refuse different operations, can be in one run: a program that passes with all of them passes
// with each. Where it does not, each is run alone.
import type { Drill, DrillCheck, Judgement } from "./check.ts";
import { wentOn } from "./compare.ts";
import type { Observed } from "./observed.ts";

/** One drill of a check. */
export interface Task {
  check: DrillCheck;
  drill: Drill;
}

/** Those that can share a run, where there are at least two. */
export function sharedIn(tasks: readonly Task[]): Task[][] {
  const names = [...new Set(tasks.flatMap(({ drill }) => drill.shares ?? []))];
  return names.map((name) => tasks.filter(({ drill }) => drill.shares === name)).filter(({ length }) => length > 1);
}

/** The faults of all, each under the name of its drill. */
export const inOneRun = (tasks: readonly Task[]): Drill => ({
  faults: tasks.flatMap((task) => (task.drill.faults ?? []).map((fault) => ({ ...fault, name: nameOf(task) }))),
});

const nameOf = ({ check, drill }: Task): string => [check.id, drill.name].filter(Boolean).join(" ");

/** What a run with all of them says of one; undefined where it must be run alone. */
export function judgedTogether(task: Task, observed: Observed, control: Observed): Judgement | undefined {
  const judgement = task.check.judge(seenBy(task, observed), control, task.drill);
  // "Not exercised" counts only where the program did all that it does by itself.
  const isFinal = judgement.outcome === "pass" || (judgement.outcome === "not-exercised" && wentOn(observed, control));
  return isFinal ? judgement : undefined;
}

/** With the faults of this one only. */
function seenBy(task: Task, observed: Observed): Observed {
  const name = nameOf(task);
  return {
    ...observed,
    requests: observed.requests.map((each) => ({ ...each, faults: each.faults.filter((hit) => hit.name === name) })),
    armed: observed.armed.filter((fault) => fault.name === name),
  };
}

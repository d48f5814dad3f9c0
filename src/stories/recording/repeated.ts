// The same step many times in a row, as one that is repeated.
import type { JsonObject, Step } from "./stretch.ts";

const FEWEST = 3;
const MOST = 1000;

export function repeated(steps: readonly Step[]): Step[] {
  const named = JSON.stringify(steps);
  const isReferred = ({ name }: Step) => named.includes(`\${${JSON.stringify(name).slice(1, -1)}.`);
  const told: Step[] = [];
  for (let next = 0; next < steps.length; ) {
    const step = steps[next] as Step;
    const end = steps.findIndex((each, index) => index > next && (shape(each) !== shape(step) || index - next >= MOST));
    const run = steps.slice(next, end < 0 ? undefined : end);
    next += run.length;
    const isRun = run.length >= FEWEST && step.call !== undefined && !run.some(isReferred);
    told.push(...(isRun ? [asOne(step, run.length)] : run));
  }
  return told;
}

const shape = ({ name: _, ...members }: Step): string => JSON.stringify(members);

function asOne({ name, expect, ...members }: Step, times: number): Step {
  const { status } = expect as JsonObject;
  return { name, ...members, repeat: { times }, expect: { statuses: { [String(status)]: times } } };
}

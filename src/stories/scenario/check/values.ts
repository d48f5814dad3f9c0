// Checks values of the head and of steps: clock moves, faults and assumptions.

import type { Schemas } from "../../../client/control.ts";
import { ANY, after, findFaultProblem, isBeyondTime, isDuration, MAX_MOVE } from "../../../engine/domain/index.ts";
import { isObject } from "../match.ts";
import type { Known } from "../operations.ts";
import { findReferences } from "../refs.ts";
import type { Step } from "../scenario.ts";
import type { MemberPath } from "../schema.ts";
import { listFaults } from "../steps/control.ts";
import { suggest } from "../unknown.ts";

/** Reports the reason why the value at the path is invalid. */
export type Say = (path: MemberPath, reason: string) => void;

/** Returns the path of a member of a step, which is in the step or in its `repeat`. */
export type MemberAt = (member: string) => MemberPath;

/** Returns whether the step may expect a rejection of its input. */
export function canBeInvalid({ expect }: Step): boolean {
  if (!isObject(expect)) return false;
  const { status, code } = expect;
  return status === 400 || code === "BAD_REQUEST" || [status, code].some(isObject);
}

/** The start is arbitrary, because the length of months and years hardly varies. */
const START = "2000-01-01T00:00:00.000Z";

export function checkAdvance(step: Step, at: MemberAt, say: Say): void {
  const { advance } = step;
  const [by, path] = isObject(advance) ? [advance.by, [...at("advance"), "by"]] : [advance, at("advance")];
  if (typeof by !== "string" || !isDuration(by) || canBeInvalid(step)) return;
  if (isBeyondTime(START, by) || after(START, by) > after(START, MAX_MOVE))
    say(path, `a clock moves by at most ${MAX_MOVE} at a time, but this is ${by.slice(0, 60)}; go in smaller steps`);
}

export function checkAssumptions(assume: unknown, path: MemberPath, { assumptions }: Known, say: Say): void {
  for (const [id, value] of Object.entries(isObject(assume) ? assume : {})) {
    const answers = assumptions.get(id);
    if (!answers) say([...path, id], suggest("assumption", id, assumptions.keys()));
    else if (!answers.includes(String(value))) say([...path, id], suggest(`answer to ${id}`, String(value), answers));
  }
}

export function checkFaults(step: Step, operations: readonly string[], at: MemberAt, say: Say): void {
  for (const [index, fault] of listFaults(step).entries()) {
    const path = [...at("fault"), ...(Array.isArray(step.fault) ? [index] : [])];
    // The value of a reference is only known when the scenario runs.
    if (!isObject(fault) || findReferences(fault).length > 0) continue;
    const { operation = ANY } = fault;
    const problem = canBeInvalid(step) ? undefined : findFaultProblem(fault as object as Schemas["FaultInput"]);
    if (typeof operation === "string" && operation !== ANY && !operations.includes(operation))
      say([...path, "operation"], suggest("operation", operation, operations));
    else if (problem) say([...path, ...problem.member.split(".")], `\`${problem.member}\`: ${problem.what}`);
  }
}

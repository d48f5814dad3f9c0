// Checks the faults of a step: their operations must exist, and they must satisfy the sandbox's rules.

import type { Schemas } from "../../../client/control.ts";
import { ANY, findFaultProblem } from "../../../engine/domain/index.ts";
import { isObject } from "../match.ts";
import { findReferences } from "../refs.ts";
import type { Step } from "../scenario.ts";
import { listFaults } from "../steps/fault.ts";
import { suggest } from "../unknown.ts";
import { canBeInvalid, type MemberAt } from "./input.ts";
import type { Say } from "./say.ts";

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

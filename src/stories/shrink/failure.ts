// How a scenario fails, as far as another run of it must fail alike: the step, the checks that differ, and what was received instead. Values
// that differ from run to run, such as ids and instants, are named by their type.

import type { Json } from "../../platform/json.ts";
import { showJson } from "../../platform/json.ts";
import { isObject } from "../scenario/match.ts";
import type { Played, Result } from "../scenario/scenario.ts";

/** The step that failed; undefined when all passed, or when it was not a step that failed. */
export function findFailedStep({ steps, trouble }: Result): Played | undefined {
  return trouble === undefined ? steps.find(({ passed }) => !passed) : undefined;
}

/** The same text for the same failure. */
export function identifyFailure(result: Result): string | undefined {
  const step = findFailedStep(result);
  if (!step) return undefined;
  const { name, outcome, differences } = step;
  // Two refusals with one status may be two different failures.
  const code = outcome.code ?? (isObject(outcome.body) ? outcome.body.code : undefined);
  const checks = differences.map((each) => [each.path, classifyValue(each.actual)]);
  return JSON.stringify([name, outcome.status ?? null, code ?? null, checks]);
}

/** A state, a code, a number: what a rule decides. Any other text is named by its type. */
function classifyValue(value: Json | undefined): Json {
  if (value === undefined) return "nothing";
  if (typeof value === "string") return /^[A-Z][A-Z_]*$/.test(value) ? value : "text";
  if (Array.isArray(value)) return "list";
  return isObject(value) ? "object" : value;
}

/** In words: `bo is late: status: wanted 409, came 201`. */
export function describeFailure(result: Result): string {
  const step = findFailedStep(result);
  if (!step) return result.trouble ?? result.skipped ?? "it passes";
  const [first] = step.differences;
  const check = first
    ? `: ${first.path || "the step"}: wanted ${showJson(first.wanted)}, came ${showJson(first.actual)}`
    : "";
  return `${step.name}${check}`;
}

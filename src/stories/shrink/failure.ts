// Identifies how a scenario fails, so that two failures can be compared: the step, the failed checks, and the received values. Values that
// differ between runs, such as ids and instants, are replaced by their type.

import type { Json } from "../../platform/json.ts";
import { showJson } from "../../platform/json.ts";
import { isObject } from "../scenario/match.ts";
import type { Played, Result } from "../scenario/scenario.ts";

/** Returns the failed step; undefined if all steps passed, or if the failure was outside the steps. */
export function findFailedStep({ steps, trouble }: Result): Played | undefined {
  return trouble === undefined ? steps.find(({ passed }) => !passed) : undefined;
}

/** Returns the same text for the same failure. */
export function identifyFailure(result: Result): string | undefined {
  const step = findFailedStep(result);
  if (!step) return undefined;
  const { name, outcome, differences } = step;
  // Two rejections with the same status may be different failures.
  const code = outcome.code ?? (isObject(outcome.body) ? outcome.body.code : undefined);
  const checks = differences.map((each) => [each.path, classifyValue(each.actual)]);
  return JSON.stringify([name, outcome.status ?? null, code ?? null, checks]);
}

/** Keeps states, codes and numbers, which a rule decides, and replaces other texts by their type. */
function classifyValue(value: Json | undefined): Json {
  if (value === undefined) return "nothing";
  if (typeof value === "string") return /^[A-Z][A-Z_]*$/.test(value) ? value : "text";
  if (Array.isArray(value)) return "list";
  return isObject(value) ? "object" : value;
}

/** Formats a failure such as `bo is late: status: wanted 409, came 201`. */
export function describeFailure(result: Result): string {
  const step = findFailedStep(result);
  if (!step) return result.trouble ?? result.skipped ?? "it passes";
  const [first] = step.differences;
  const check = first
    ? `: ${first.path || "the step"}: wanted ${showJson(first.wanted)}, came ${showJson(first.actual)}`
    : "";
  return `${step.name}${check}`;
}

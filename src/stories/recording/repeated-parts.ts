// Shortens the steps of a recording: values that several steps send move to the head of the scenario, and equal consecutive steps become one.

import { isObject, type Json, type JsonObject } from "../../platform/json.ts";
import type { RecordedStep } from "./log-slice.ts";

/** Shorter values are repeated in the steps. */
const MIN_LENGTH = 60;

/** Replaces repeated values of the steps by references. Different values with one name get numbers. */
export function extractGiven(steps: readonly RecordedStep[]): { given: JsonObject; steps: RecordedStep[] } {
  const counts = new Map<string, number>();
  // Values are compared as text, so those with another order of fields are different.
  for (const [, text] of steps.flatMap(listCandidates)) counts.set(text, (counts.get(text) ?? 0) + 1);
  const names = new Map<string, string>();
  const given: JsonObject = {};
  for (const [member, text] of steps.flatMap(listCandidates)) {
    if ((counts.get(text) ?? 0) < 2 || names.has(text)) continue;
    let name = member;
    for (let number = 2; Object.hasOwn(given, name); number++) name = `${member}_${number}`;
    names.set(text, name);
    given[name] = JSON.parse(text) as Json;
  }
  const nameValue = (value: Json): Json => {
    const name = names.get(JSON.stringify(value));
    return name === undefined ? value : `\${given.${name}}`;
  };
  return {
    given,
    steps: steps.map((step) => (isObject(step.with) ? { ...step, with: mapMembers(step.with, nameValue) } : step)),
  };
}

/** Values with references are no candidates, because the head can't refer to steps. */
function listCandidates(step: RecordedStep): [member: string, text: string][] {
  if (!isObject(step.with)) return [];
  return Object.entries(step.with).flatMap(([name, value]): [string, string][] => {
    const text = JSON.stringify(value);
    const isGood = typeof value === "object" && text.length >= MIN_LENGTH && !text.includes("${") && /^\w+$/.test(name);
    return isGood ? [[name, text]] : [];
  });
}

const mapMembers = (value: JsonObject, named: (value: Json) => Json): JsonObject =>
  Object.fromEntries(Object.entries(value).map(([name, each]) => [name, named(each)]));

const MIN_REPEATS = 3;
const MAX_REPEATS = 1000;

/** Merges identical consecutive steps into one step with `repeat`. */
export function mergeRepeatedSteps(steps: readonly RecordedStep[]): RecordedStep[] {
  const named = JSON.stringify(steps);
  const isReferred = ({ name }: RecordedStep) => named.includes(`\${${JSON.stringify(name).slice(1, -1)}.`);
  const recorded: RecordedStep[] = [];
  for (let next = 0; next < steps.length; ) {
    const step = steps[next] as RecordedStep;
    const end = steps.findIndex(
      (each, index) => index > next && (toText(each) !== toText(step) || index - next >= MAX_REPEATS),
    );
    const run = steps.slice(next, end < 0 ? undefined : end);
    next += run.length;
    // A step that a later step refers to must keep its name.
    const isRun = run.length >= MIN_REPEATS && step.call !== undefined && !run.some(isReferred);
    recorded.push(...(isRun ? [mergeSteps(step, run.length)] : run));
  }
  return recorded;
}

const toText = ({ name: _, ...members }: RecordedStep): string => JSON.stringify(members);

function mergeSteps({ name, expect, ...members }: RecordedStep, times: number): RecordedStep {
  const { status } = expect as JsonObject;
  return { name, ...members, repeat: { times }, expect: { statuses: { [String(status)]: times } } };
}

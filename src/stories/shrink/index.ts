// Shrinks a failing scenario by removing steps while the same step fails in the same way. Each trial plays in a fresh world, and several run
// in parallel in one sandbox.
import { isObject, type Json, type JsonObject, showJson } from "../../platform/json.ts";
import { omitMembers } from "../../platform/positions.ts";
import { findProblems } from "../scenario/check/index.ts";
import { SandboxUnreachable } from "../scenario/client.ts";
import type { Read } from "../scenario/load.ts";
import { findReferences, parseReference } from "../scenario/refs.ts";
import type { Loaded, Played, Result, Scenario, Step } from "../scenario/scenario.ts";
import { type Application, type Choice, describeSandbox, playIn, withApplication } from "../scenario/target.ts";
import { minimize } from "./ddmin.ts";

/** The number of parallel trials in one sandbox. */
const MAX_RUNS = 4;
/** Webhook steps wait less than in a normal run, because there are many trials. */
const WEBHOOK_WAIT_MS = 1000;

interface ShrinkOptions extends Choice {
  /** Returns whether to stop with the current result, because the time is over or the user stopped it. */
  isOver(): boolean;
  /** Called when fewer steps are enough. */
  report?(progress: { steps: number; plays: number }): void;
}

interface Shrunk {
  /** The number of steps before and after. */
  from: number;
  to: number;
  plays: number;
  /** The failing step and its failure. */
  fails: string;
  /** Whether it stopped before every step was tried. */
  unfinished: boolean;
  text: string;
}

/** The scenario can't be shrunk: it has mistakes, could not be played, passes, or does not always fail. */
export class NotShrunk extends Error {
  readonly why: "mistakes" | "unplayed" | "passes" | "unsteady";
  /** The code of the reason why it could not be played, for programs. */
  readonly code: string | undefined;
  constructor(why: NotShrunk["why"], message: string, code?: string) {
    super(message);
    this.why = why;
    this.code = code;
  }
}

/** Rejects with NotShrunk if the scenario can't be shrunk. The text keeps the comments and the order of the file. */
export async function shrink(read: Read, text: string, options: ShrinkOptions): Promise<Shrunk> {
  const { loaded } = read;
  if (!loaded) throw new NotShrunk("mistakes", findProblems(read).join("\n"));
  if (loaded.rows)
    throw new NotShrunk(
      "mistakes",
      `${loaded.file}: it has a run for each row. Replace \`each\` by the failing row, as \`given\`.`,
    );
  const work = async (application: Application) => {
    const problems = findProblems(read, application.known);
    if (problems.length > 0) throw new NotShrunk("mistakes", problems.join("\n"));
    return shrinkIn(application, loaded, text, options);
  };
  return withApplication(options, [loaded], work).catch(throwNotShrunk);
}

async function shrinkIn(
  application: Application,
  loaded: Loaded,
  text: string,
  options: ShrinkOptions,
): Promise<Shrunk> {
  const { scenario } = loaded;
  const { steps } = scenario;
  let plays = 0;
  const playWith = (numbers: readonly number[]): Promise<Result> => {
    plays++;
    const shorter = { ...loaded, scenario: selectSteps(scenario, numbers) };
    return playIn(application, shorter, { ...options, patienceMs: WEBHOOK_WAIT_MS }, () => undefined);
  };
  const first = await playWith(steps.map((_, number) => number));
  const failure = requireFailure(first, loaded.file);
  const target = steps.findIndex(({ name }) => name === findFailedStep(first)?.name);
  let fewest = target + 1;
  const before = steps.slice(0, target).map((_, number) => number);
  // Steps that refer to a removed step are removed too, so fewer steps may remain.
  const test = async (numbers: readonly number[]) => {
    const remaining = selectRemaining(steps, [...numbers, target]);
    if (remaining.at(-1) !== target || identifyFailure(await playWith(remaining)) !== failure) return undefined;
    if (remaining.length < fewest) options.report?.({ steps: remaining.length, plays });
    fewest = Math.min(fewest, remaining.length);
    return remaining.slice(0, -1);
  };
  // All steps run again, because a failure that is not reproducible can't be shrunk.
  if (!(await test(before))) {
    await describeSandbox(application.target);
    throw new NotShrunk("unsteady", `${loaded.file} does not fail the same way twice: ${describeFailure(first)}.`);
  }
  const remaining = [...(await minimize(before, { test, parallel: MAX_RUNS, isOver: options.isOver })), target];
  // If the sandbox has stopped, no trial could reproduce the failure.
  await describeSandbox(application.target);
  const shorter = selectSteps(scenario, remaining);
  const gone = [
    ...steps.flatMap((_, number) => (remaining.includes(number) ? [] : [["steps", number]])),
    ...listUnusedGiven(shorter).map((name) => ["given", name]),
  ];
  return {
    from: steps.length,
    to: remaining.length,
    plays,
    fails: describeFailure(first),
    unfinished: options.isOver(),
    text: omitMembers(text, gone),
  };
}

function throwNotShrunk(reason: unknown): never {
  throw reason instanceof SandboxUnreachable ? new NotShrunk("unplayed", reason.message, reason.code) : reason;
}

function requireFailure(result: Result, file: string): string {
  const failure = identifyFailure(result);
  if (failure !== undefined) return failure;
  if (result.passed) throw new NotShrunk("passes", `${file} passes: there is no failure to shrink.`);
  throw new NotShrunk("unplayed", `${file} was not played: ${describeFailure(result)}.`);
}

/** Returns the steps with these numbers, without those that refer to a removed step. */
function selectRemaining(steps: readonly Step[], numbers: readonly number[]): number[] {
  const all = new Set(steps.map(({ name }) => name));
  const names = new Set<string>();
  return numbers.filter((number) => {
    const step = steps[number] as Step;
    const needed = findReferences(step).map(({ text }) => parseReference(text, (name) => all.has(name)).name);
    // Steps within a `repeat` refer to each other.
    const inner = new Set(step.repeat?.steps?.map((each) => each.name));
    const canRemain = needed.every((name) => name === undefined || names.has(name) || inner.has(name));
    if (canRemain) names.add(step.name);
    return canRemain;
  });
}

function selectSteps(scenario: Scenario, numbers: readonly number[]): Scenario {
  return { ...scenario, steps: numbers.map((number) => scenario.steps[number] as Step) };
}

/** Lists the given values that no step refers to, directly or through another given value. */
function listUnusedGiven({ given = {}, steps }: Scenario): string[] {
  const used = new Set<string>();
  const see = (value: unknown): void => {
    for (const { text } of findReferences(value)) {
      const name = /^\s*given[.[]([^.[\]]+)/.exec(text)?.[1];
      if (name === undefined || used.has(name)) continue;
      used.add(name);
      see((given as JsonObject)[name]);
    }
  };
  see(steps);
  return Object.keys(given).filter((name) => !used.has(name));
}

// Identifies how a scenario fails, so that two failures can be compared: the step, the failed checks, and the received values. Values that
// differ between runs, such as ids and instants, are replaced by their type.

/** Returns the failed step; undefined if all steps passed, or if the failure was outside the steps. */
function findFailedStep({ steps, trouble }: Result): Played | undefined {
  return trouble === undefined ? steps.find(({ passed }) => !passed) : undefined;
}

/** Returns the same text for the same failure. */
function identifyFailure(result: Result): string | undefined {
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
function describeFailure(result: Result): string {
  const step = findFailedStep(result);
  if (!step) return result.trouble ?? result.skipped ?? "it passes";
  const [first] = step.differences;
  const check = first
    ? `: ${first.path || "the step"}: wanted ${showJson(first.wanted)}, came ${showJson(first.actual)}`
    : "";
  return `${step.name}${check}`;
}

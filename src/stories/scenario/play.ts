// Plays a scenario in a fresh world, step by step, until a step fails. Each step compares the response with `expect`; without an
// expectation of the status or body, the status must be below 400.

import { summarizeRejection } from "../../client/why-lines.ts";
import { isObject, type Json, type JsonObject } from "../../platform/json.ts";
import { optional } from "../../platform/optional.ts";
import { toCommand } from "../../platform/shell-quoted.ts";
import { receive, SandboxUnreachable } from "./client.ts";
import { compare } from "./match.ts";
import { type Known, learn } from "./operations.ts";
import { type OpenPlay, openPlay } from "./play-context.ts";
import { type Memory, ReferenceUnknown, resolve } from "./refs.ts";
import type { Difference, Loaded, Played, Refusal, Result, Step, Target } from "./scenario.ts";
import { getVerbs } from "./steps/index.ts";
import type { PlayContext, Verb } from "./steps/verb.ts";
import { listBlots } from "./transcript.ts";

export interface Playing {
  /** The names that the sandbox knows, if they were already requested. */
  known?: Known;
  /** Called with each step when it ends. */
  onStep?(step: Played): void;
  /** The maximum wait of a step for webhooks. */
  patienceMs?: number;
  /** Called with the id of the world before it is removed. */
  ending?(world: string): Promise<void>;
  /** Whether a relay sends messages to the receiver of the scenario, because the sandbox may not reach this machine. */
  relays?: boolean;
  /** Whether the world of a failed scenario is kept for inspection. */
  keepsFailed?: boolean;
  /** Ends the play within a step. */
  signal?: AbortSignal;
}

/** Does not reject for any response. If the sandbox does not respond, or can't create the world, the result says so. */
export async function play(
  loaded: Loaded,
  target: Target,
  { known, onStep, patienceMs, ending, relays, keepsFailed = false, signal }: Playing = {},
): Promise<Result> {
  const started = performance.now();
  const { scenario, file } = loaded;
  const steps: Played[] = [];
  let trouble: string | undefined;
  let context: OpenPlay | undefined;
  try {
    context = {
      ...(await openPlay(loaded, target, known ?? (await learn(target)), relays)),
      ...optional({ patienceMs, signal }),
    };
    const stopped = waitForAbort(signal);
    for (const [index, step] of scenario.steps.entries()) {
      const ended = await Promise.race([stopped, playStep(step, context, context.memory, false)]);
      if (ended === undefined) {
        trouble = "stopped before its end";
        break;
      }
      const { passed, ...outcome } = ended;
      const at = passed ? undefined : `${file}:${loaded.locate(["steps", index]).line}`;
      const command =
        keepsFailed && !passed ? formatInspection(outcome.refusal, context.world.id, target.url) : undefined;
      const played = { ...outcome, passed, ...optional({ at, command }) };
      steps.push(played);
      onStep?.(played);
      // Later steps depend on this step.
      if (!played.passed) {
        trouble = context.relay?.getLoss()?.message;
        break;
      }
      context.memory.set(step.name, played.outcome);
    }
  } catch (reason) {
    if (!(reason instanceof SandboxUnreachable || reason instanceof ReferenceUnknown)) throw reason;
    trouble = reason.message;
  } finally {
    if (context) await ending?.(context.world.id);
    // The world is also removed after a failure, unless the user keeps it for inspection.
    await context?.clear(keepsFailed && steps.some(({ passed }) => !passed));
  }
  return {
    file,
    title: scenario.title,
    passed: trouble === undefined && steps.every(({ passed }) => passed),
    ...(trouble ? { trouble } : {}),
    steps,
    left: scenario.steps.length - steps.length,
    duration_ms: performance.now() - started,
    blots: listBlots(target, context?.memory ?? new Map(), steps),
  };
}

/** Resolves when the signal aborts. */
function waitForAbort(signal: AbortSignal | undefined): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve(undefined);
    else signal?.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}

async function playStep(step: Step, scene: OpenPlay, memory: Memory, lenient: boolean): Promise<Played> {
  const started = performance.now();
  const verb = getVerbs(step)[0] as Verb;
  const context: PlayContext = {
    ...scene,
    playStep: (inner, more, easy) => playStep(inner, scene, new Map([...memory, ...more]), easy),
  };
  const result = await playVerb(verb, step, { context, memory, lenient }).catch(toUnresolvedStep);
  const passed = result.differences.length === 0;
  const about = verb.about(step);
  return { name: step.name, verb: verb.name, about, passed, duration_ms: performance.now() - started, ...result };
}

type StepResult = Pick<Played, "sent" | "outcome" | "differences" | "refusal">;

async function playVerb(
  verb: Verb,
  step: Step,
  { context, memory, lenient }: { context: PlayContext; memory: Memory; lenient: boolean },
): Promise<StepResult> {
  const ready = resolveStep(step, memory);
  const { sent, outcome, differences: own, requestId } = await verb.play(ready, context);
  const differences = own ?? compareOutcome(ready, outcome, lenient);
  // The explanation is requested for failed steps only, so that passing scenarios cause no additional requests.
  const refusal = differences.length > 0 && requestId ? await findRefusal(context, requestId, outcome) : undefined;
  return { sent, outcome, differences, ...optional({ refusal }) };
}

/** Resolves only `expect` of a repeat, because its rounds resolve their own references. */
function resolveStep(step: Step, memory: Memory): Step {
  if (step.repeat === undefined) return resolve(step as unknown as Json, memory) as unknown as Step;
  return step.expect ? { ...step, expect: resolve(step.expect, memory) } : step;
}

/** Returns a reference to a missing value of a response as a difference of the step. */
function toUnresolvedStep(reason: unknown): StepResult {
  if (!(reason instanceof ReferenceUnknown)) throw reason;
  const problem: Difference = { path: "", wanted: "a reference that can be followed", actual: reason.message };
  return { sent: undefined, outcome: {}, differences: [problem] };
}

function compareOutcome({ expect }: Step, outcome: JsonObject, lenient: boolean): Difference[] {
  const found = compare(lowerHeaderNames(expect ?? {}), outcome);
  // A step without an expectation of the response expects success.
  const says = ["status", "body", "code", "error", "message"].some((name) => expect && name in expect);
  const bad = outcome.status === null || Number(outcome.status) >= 400;
  if (says || lenient || !bad || !("status" in outcome)) return found;
  const why = isObject(outcome.body) ? outcome.body : { error: outcome.error ?? null };
  return [
    { path: "status", wanted: "a status below 400", actual: outcome.status ?? null },
    { path: "body", wanted: "", actual: why },
    ...found,
  ];
}

function lowerHeaderNames(expect: JsonObject): JsonObject {
  if (!isObject(expect.headers)) return expect;
  const lower = Object.entries(expect.headers).map(([name, value]) => [
    name.startsWith("$") ? name : name.toLowerCase(),
    value,
  ]);
  return { ...expect, headers: Object.fromEntries(lower) as JsonObject };
}

/** Returns the sandbox's explanation of why the request of a failed step was rejected; undefined if it was not. */
async function findRefusal({ control }: PlayContext, id: string, outcome: JsonObject): Promise<Refusal | undefined> {
  if (typeof outcome.status === "number" && outcome.status < 400) return undefined;
  const { status, body } = await receive(control.GET("/_sandbox/why/{id}", { params: { path: { id } } }));
  if (status !== 200 || !isObject(body) || !body.refusal) return undefined;
  return { id, reason: summarizeRejection(body.refusal) };
}

/** Formats the command that shows more. It needs a world that still exists. */
const formatInspection = (refusal: Refusal | undefined, world: string, url: string): string =>
  toCommand(["sandbox", ...(refusal ? ["why", refusal.id] : ["logs"]), "--world", world, "--url", url]);

// The verb `repeat` runs a verb or steps several times, in order or in parallel. ${round} counts from 1. The results of parallel rounds are
// sorted, because their order is random.

import type { Json, JsonObject } from "../../../platform/json.ts";
import type { Played, Rounds, Step } from "../scenario.ts";
import type { PlayContext, Verb } from "./verb.ts";

export const repeat: Verb = {
  name: "repeat",
  answers: ["times", "statuses", "answers"],
  about: (step) => `${step.repeat?.times} times`,
  async play(step, context) {
    const rounds = step.repeat as Rounds;
    const inner = listInnerSteps(step);
    const numbers = Array.from({ length: rounds.times }, (_, index) => index + 1);
    // The outcomes of one verb are counted, including rejections. Several steps must all pass.
    const lenient = rounds.steps === undefined;
    const playOne = (round: number) => playRound(inner, round, context, lenient);
    const played = rounds.parallel ? await Promise.all(numbers.map(playOne)) : await playInTurn(numbers, playOne);
    const answers = played.map((steps) => normalize(steps.at(-1)));
    if (rounds.parallel) answers.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    const differences = played.flat().flatMap((each) => each.differences);
    const outcome: JsonObject = { times: rounds.times, statuses: countOutcomes(played.flat()), answers };
    return { outcome, ...(differences.length > 0 ? { differences: differences.slice(0, 5) } : {}) };
  },
};

/** Returns the repeated steps: `steps`, or the verb in `repeat` or next to it. */
export function listInnerSteps(step: Step): Step[] {
  const { times: _, parallel: __, steps, ...own } = step.repeat as Rounds;
  if (steps) return steps;
  const { repeat: ___, expect: ____, name, ...beside } = step;
  return [{ ...beside, ...own, name: `${name}, each` }];
}

async function playRound(
  steps: readonly Step[],
  round: number,
  context: PlayContext,
  lenient: boolean,
): Promise<Played[]> {
  const memory = new Map<string, Json>([["round", round]]);
  const played: Played[] = [];
  for (const step of steps) {
    const result = await context.playStep(step, memory, lenient);
    memory.set(step.name, result.outcome);
    played.push(result);
    if (!result.passed) break;
  }
  return played;
}

async function playInTurn<T>(numbers: readonly number[], one: (round: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (const round of numbers) results.push(await one(round));
  return results;
}

/** Omits the headers, which contain the id of the request. */
function normalize(played: Played | undefined): Json {
  const { headers: _, ...rest } = played?.outcome ?? {};
  return rest;
}

function countOutcomes(played: readonly Played[]): JsonObject {
  const statuses = new Map<string, number>();
  for (const { outcome } of played) {
    if (outcome.status === undefined) continue;
    statuses.set(String(outcome.status), (statuses.get(String(outcome.status)) ?? 0) + 1);
  }
  return Object.fromEntries([...statuses].sort(([a], [b]) => (a < b ? -1 : 1)));
}

// Lists the verbs of a scenario.
import type { Step } from "../scenario.ts";
import { call } from "./call.ts";
import { act, advance, assume, fault, trigger } from "./control.ts";
import { repeat } from "./repeat.ts";
import type { Verb } from "./verb.ts";
import { receiver, webhook } from "./webhook.ts";

export const verbs: readonly Verb[] = [call, act, trigger, advance, webhook, fault, receiver, assume, repeat];

/** Returns the verbs of a step. A `repeat` replaces the verb next to it. */
export function getVerbs(step: Partial<Step>): Verb[] {
  const found = verbs.filter(({ name }) => (step as Record<string, unknown>)[name] !== undefined);
  return found.includes(repeat) && found.length === 2 ? [repeat] : found;
}

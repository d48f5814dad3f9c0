// Lists the verbs of a scenario.
import type { Step } from "../scenario.ts";
import { act } from "./act.ts";
import { advance } from "./advance.ts";
import { assume } from "./assume.ts";
import { call } from "./call.ts";
import { fault } from "./fault.ts";
import { receiver } from "./receiver.ts";
import { repeat } from "./repeat.ts";
import { trigger } from "./trigger.ts";
import type { Verb } from "./verb.ts";
import { webhook } from "./webhook.ts";

export const verbs: readonly Verb[] = [call, act, trigger, advance, webhook, fault, receiver, assume, repeat];

/** Returns the verbs of a step. A `repeat` replaces the verb next to it. */
export function getVerbs(step: Partial<Step>): Verb[] {
  const found = verbs.filter(({ name }) => (step as Record<string, unknown>)[name] !== undefined);
  return found.includes(repeat) && found.length === 2 ? [repeat] : found;
}

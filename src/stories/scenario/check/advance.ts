// Checks that a step moves the clock no further than the sandbox allows.

import { after, isBeyondTime, isDuration, MAX_MOVE } from "../../../engine/domain/index.ts";
import { isObject } from "../match.ts";
import type { Step } from "../scenario.ts";
import { canBeInvalid, type MemberAt } from "./input.ts";
import type { Say } from "./say.ts";

/** The start is arbitrary, because the length of months and years hardly varies. */
const START = "2000-01-01T00:00:00.000Z";

export function checkAdvance(step: Step, at: MemberAt, say: Say): void {
  const { advance } = step;
  const [by, path] = isObject(advance) ? [advance.by, [...at("advance"), "by"]] : [advance, at("advance")];
  if (typeof by !== "string" || !isDuration(by) || canBeInvalid(step)) return;
  if (isBeyondTime(START, by) || after(START, by) > after(START, MAX_MOVE))
    say(path, `a clock moves by at most ${MAX_MOVE} at a time, but this is ${by.slice(0, 60)}; go in smaller steps`);
}

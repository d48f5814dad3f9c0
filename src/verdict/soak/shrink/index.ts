// The fewest steps of a soak with which the same difference stays, as a scenario and as the command that shows it.
import { ddmin, textOf } from "../../../stories/index.ts";
import { type SoakOptions, soak } from "../index.ts";
import type { FoundDifference, Soak } from "../result.ts";

interface Shrunk {
  /** The steps before and after. */
  from: number;
  to: number;
  soaks: number;
  /** Whether it ended before every step had been tried. */
  unfinished: boolean;
  difference: FoundDifference;
  /** The soak of the steps that are left. */
  soak: Soak;
  /** A scenario with what is left of business and weather. */
  text: string;
}

/** Soaks side by side; each is mostly waiting. */
const AT_ONCE = 2;

interface Trials {
  isOver(): boolean;
  report?(progress: { steps: number; soaks: number }): void;
}

/** Undefined where the difference does not come again. */
export async function shrinkSoak(first: Soak, options: SoakOptions, trials: Trials): Promise<Shrunk | undefined> {
  // One of a record that the plan named comes first: its id is the same in every soak.
  const [difference] = [...first.differences].sort((a, b) => Number(isOfProgram(a)) - Number(isOfProgram(b)));
  if (!difference) return undefined;
  let soaks = 0;
  let best: Soak | undefined;
  const test = async (steps: readonly number[]): Promise<readonly number[] | undefined> => {
    soaks++;
    const found = await soak({ ...options, steps, isOver: trials.isOver });
    if (!found.differences.some((each) => isAlike(each, difference))) return undefined;
    if (best === undefined || steps.length <= best.steps.length) best = found;
    trials.report?.({ steps: steps.length, soaks });
    return steps;
  };
  // A receiver with one port can't be there twice.
  const atOnce = options.webhookUrl?.includes("{port}") === false ? 1 : AT_ONCE;
  // Once more where it did not come: a program may be lucky.
  const again = (await test(first.steps)) ?? (await test(first.steps));
  const smallest = again && (await ddmin(first.steps, { test, atOnce, isOver: trials.isOver }));
  if (!smallest || !best) return undefined;
  const nearest = best.differences.find((each) => isAlike(each, difference)) ?? difference;
  return {
    unfinished: trials.isOver(),
    from: first.steps.length,
    to: smallest.length,
    soaks,
    difference: nearest,
    soak: best,
    text: scenarioOf(best, nearest),
  };
}

/** The world gives the ids of what the program makes, in the order of all that is made. */
const isOfProgram = ({ id }: FoundDifference): boolean => /^[0-9a-f]{32}$/.test(id);

const isAlike = (a: FoundDifference, b: FoundDifference): boolean =>
  a.kind === b.kind && a.of === b.of && a.member === b.member && (a.id === b.id || (isOfProgram(a) && isOfProgram(b)));

function scenarioOf({ story, left_out, seed, sandbox, begins, again }: Soak, { says }: FoundDifference): string {
  const steps = story.length > 0 ? story : [{ name: "nothing happens", advance: "PT1H" }];
  const scenario = { title: says, fixture: sandbox.fixture, clock: begins, seed, steps };
  type Recording = Parameters<typeof textOf>[0];
  return textOf({
    scenario: scenario as unknown as Recording["scenario"],
    leftOut: [`Shown by: ${again}`, ...left_out],
  });
}

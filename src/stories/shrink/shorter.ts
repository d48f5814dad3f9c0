// A scenario with some of its steps: what refers to a step that is gone goes too, and so do given values that nothing names.
import { partsOf, referencesIn } from "../scenario/refs.ts";
import type { JsonObject, Scenario, Step } from "../scenario/scenario.ts";

/** The steps with these numbers, without those that refer to one that is left out. */
export function standing(steps: readonly Step[], numbers: readonly number[]): number[] {
  const all = new Set(steps.map(({ name }) => name));
  const names = new Set<string>();
  return numbers.filter((number) => {
    const step = steps[number] as Step;
    const needed = referencesIn(step).map(({ text }) => partsOf(text, (name) => all.has(name)).name);
    const stands = needed.every((name) => name === undefined || names.has(name) || isWithin(step, name));
    if (stands) names.add(step.name);
    return stands;
  });
}

/** Steps of a `repeat` refer to each other, and to the step itself nobody does. */
const isWithin = ({ repeat }: Step, name: string): boolean =>
  Boolean(repeat?.steps?.some((each) => each.name === name));

export function withSteps(scenario: Scenario, numbers: readonly number[]): Scenario {
  return { ...scenario, steps: numbers.map((number) => scenario.steps[number] as Step) };
}

/** The names of given values that no step refers to, directly or by another given value. */
export function unusedGiven({ given = {}, steps }: Scenario): string[] {
  const used = new Set<string>();
  const see = (value: unknown): void => {
    for (const { text } of referencesIn(value)) {
      const name = /^\s*given[.[]([^.[\]]+)/.exec(text)?.[1];
      if (name === undefined || used.has(name)) continue;
      used.add(name);
      see((given as JsonObject)[name]);
    }
  };
  see(steps);
  return Object.keys(given).filter((name) => !used.has(name));
}

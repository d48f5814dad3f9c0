// What the scenarios show, read from what they declare: the rules at their head, and of each step the operation that it calls with the
// status and code that it expects, and the kind of the message that it waits for. Tests play them all.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./changed.mjs";

/** So many of one answer are named; those that come first in the alphabet. */
const MOST = 3;

/** `{ titles, rules, operations, kinds }`; a scenario is named by its file, without `.yaml`. */
export function storiesOf(parse) {
  const files = readdirSync(join(root, "scenarios")).filter((file) => file.endsWith(".yaml"));
  const stories = { titles: {}, rules: [], operations: {}, kinds: {} };
  for (const file of files.sort()) {
    const name = file.replace(/\.yaml$/, "");
    const scenario = parse(readFileSync(join(root, "scenarios", file), "utf8"));
    stories.titles[name] = scenario.title;
    for (const text of scenario.rules ?? []) {
      const [heading, ...rule] = text.split(": ");
      stories.rules.push({ heading, rule: rule.join(": "), scenario: name });
    }
    // Another answer to an open question, or another option, is not what every sandbox shows.
    if (!scenario.assume && !scenario.server) for (const step of stepsIn(scenario.steps)) readStep(step, name, stories);
  }
  stories.rules.sort((a, b) => (a.rule < b.rule ? -1 : 1));
  // What a scenario with a code shows, another need not show without.
  for (const [id, answers] of Object.entries(stories.operations))
    stories.operations[id] = answers.filter(
      ({ status, code }) => code !== "" || !answers.some((other) => other.status === status && other.code !== ""),
    );
  return stories;
}

const stepsIn = (steps) =>
  steps.flatMap((step) => [step, ...(step.repeat ? stepsIn([step.repeat]) : []), ...stepsIn(step.steps ?? [])]);

function readStep({ call, webhook, expect = {} }, name, { operations, kinds }) {
  if (typeof webhook === "string") {
    kinds[webhook] ??= [];
    put(kinds[webhook], name);
  }
  if (typeof call !== "string" || typeof expect.status !== "number") return;
  const { code = "" } = expect.body ?? {};
  if (typeof code !== "string") return;
  operations[call] ??= [];
  const status = String(expect.status);
  let answer = operations[call].find((each) => each.status === status && each.code === code);
  if (!answer) {
    answer = { status, code, scenarios: [] };
    operations[call].push(answer);
    operations[call].sort((a, b) => (a.status + a.code < b.status + b.code ? -1 : 1));
  }
  put(answer.scenarios, name);
}

function put(names, name) {
  if (names.length < MOST && !names.includes(name)) names.push(name);
}

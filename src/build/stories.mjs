// Lists what the scenarios show, as they declare it: their rules, the operation of each step with the expected status and code, and the
// kind of each expected message. Tests play all scenarios.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./changed.mjs";

/** The first scenarios in alphabetical order are listed for each response. */
const MAX_SCENARIOS = 3;

/** Returns `{ titles, rules, operations, kinds }`. The name of a scenario is its file name without `.yaml`. */
export function readStories(parse) {
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
    // A scenario with other assumptions or server options does not show the default behaviour.
    if (!scenario.assume && !scenario.server)
      for (const step of listSteps(scenario.steps)) readStep(step, name, stories);
  }
  stories.rules.sort((a, b) => (a.rule < b.rule ? -1 : 1));
  // A response without a code is omitted if another response has the same status and a code.
  for (const [id, responses] of Object.entries(stories.operations))
    stories.operations[id] = responses.filter(
      ({ status, code }) => code !== "" || !responses.some((other) => other.status === status && other.code !== ""),
    );
  return stories;
}

const listSteps = (steps) =>
  steps.flatMap((step) => [step, ...(step.repeat ? listSteps([step.repeat]) : []), ...listSteps(step.steps ?? [])]);

function readStep({ call, webhook, expect = {} }, name, { operations, kinds }) {
  if (typeof webhook === "string") {
    kinds[webhook] ??= [];
    addScenario(kinds[webhook], name);
  }
  if (typeof call !== "string" || typeof expect.status !== "number") return;
  const { code = "" } = expect.body ?? {};
  if (typeof code !== "string") return;
  operations[call] ??= [];
  const status = String(expect.status);
  let response = operations[call].find((each) => each.status === status && each.code === code);
  if (!response) {
    response = { status, code, scenarios: [] };
    operations[call].push(response);
    operations[call].sort((a, b) => (a.status + a.code < b.status + b.code ? -1 : 1));
  }
  addScenario(response.scenarios, name);
}

function addScenario(names, name) {
  if (names.length < MAX_SCENARIOS && !names.includes(name)) names.push(name);
}

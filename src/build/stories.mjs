// Lists what the scenarios show, as they declare it: the operation of each step with the expected status and code, and the
// kind of each expected message. Tests play all scenarios.

/** The first scenarios in alphabetical order are listed for each response. */
const MAX_SCENARIOS = 3;

/** `scenarios` are sorted by name. Returns `{ titles, operations, kinds }`. */
export function readStories(scenarios) {
  const stories = { titles: {}, operations: {}, kinds: {} };
  for (const [name, { title, steps, assume, server }] of Object.entries(scenarios)) {
    stories.titles[name] = title;
    // A scenario with other assumptions or server options does not show the default behaviour.
    if (!assume && !server) for (const step of listSteps(steps)) readStep(step, name, stories);
  }
  // A response without a code is omitted if another response has the same status and a code.
  for (const [id, responses] of Object.entries(stories.operations))
    stories.operations[id] = responses
      .filter(({ status, code }) => code || !responses.some((other) => other.status === status && other.code))
      .sort((a, b) => (a.status + a.code < b.status + b.code ? -1 : 1));
  return stories;
}

const listSteps = (steps) =>
  steps.flatMap((step) => [step, ...(step.repeat ? listSteps([step.repeat]) : []), ...listSteps(step.steps ?? [])]);

function readStep({ call, webhook, expect = {} }, name, { operations, kinds }) {
  if (typeof webhook === "string") {
    kinds[webhook] ??= [];
    addScenario(kinds[webhook], name);
  }
  const { code = "" } = expect.body ?? {};
  if (typeof call !== "string" || typeof expect.status !== "number" || typeof code !== "string") return;
  operations[call] ??= [];
  const status = String(expect.status);
  const known = operations[call].find((each) => each.status === status && each.code === code);
  const response = known ?? { status, code, scenarios: [] };
  if (!known) operations[call].push(response);
  addScenario(response.scenarios, name);
}

function addScenario(names, name) {
  if (names.length < MAX_SCENARIOS && !names.includes(name)) names.push(name);
}

// What the form of a scenario can't say: names that the sandbox does not know, references to steps that come later or not at all,
// matchers nobody wrote. Everything is found before anything runs.
import { isObject, matchers, typeNames } from "./match.ts";
import { unknown } from "./nearest.ts";
import type { Known } from "./operations.ts";
import { partsOf, referencesIn, roots } from "./refs.ts";
import type { Json, Loaded, Step } from "./scenario.ts";
import { namesOf, type Place } from "./schema.ts";
import { faultsOf } from "./steps/fault.ts";
import { verbs, verbsIn } from "./steps/index.ts";

type Say = (path: Place, reason: string) => void;

/** The faults of a scenario; of operations and acts, what the shipped documents know counts unless `known` says otherwise. */
export function check({ scenario, placeOf }: Loaded, known: Partial<Known> = {}): string[] {
  const faults: string[] = [];
  const say: Say = (path, reason) => void faults.push(`${placeOf(path)}: ${reason}`);
  const { fixture } = scenario;
  if (fixture !== undefined && known.fixtures && !known.fixtures.includes(fixture))
    say(["fixture"], unknown("fixture", fixture, known.fixtures));
  const seen = new Map<string, Step>();
  for (const [index, step] of scenario.steps.entries()) {
    checkStep(step, ["steps", index], { say, seen, known, given: scenario.given ?? {}, inRound: false });
  }
  return faults;
}

interface Around {
  say: Say;
  /** The steps that references can name by now. */
  seen: Map<string, Step>;
  known: Partial<Known>;
  given: object;
  inRound: boolean;
}

function checkStep(step: Step, path: Place, around: Around): void {
  const { say, seen } = around;
  const found = verbsIn(step);
  if (found.length !== 1) {
    say(
      path,
      `a step has one verb of ${verbs.map(({ name }) => name).join(", ")}; this has ${found.map(({ name }) => name).join(" and ") || "none"}`,
    );
  }
  if (roots.includes(step.name)) say([...path, "name"], `\`${step.name}\` can't name a step, since references use it`);
  if (seen.has(step.name))
    say([...path, "name"], `two steps are called \`${step.name}\`, so a reference could mean either`);
  const { repeat } = step;
  checkVerb(step, path, around);
  const inner = { ...around, seen: new Map(seen), inRound: around.inRound || repeat !== undefined };
  if (repeat) {
    const { steps, expect, ...own } = repeat;
    for (const [index, each] of (steps ?? []).entries()) checkStep(each, [...path, "repeat", "steps", index], inner);
    const alone: Partial<Step> = { ...step, ...own };
    delete alone.repeat;
    if (!steps && verbsIn(alone).length !== 1) say([...path, "repeat"], "it repeats one verb, or `steps`");
    checkVerb({ ...own, name: "" } as Step, [...path, "repeat"], inner);
    checkReferences(own, [...path, "repeat"], inner);
    checkMatchers(expect ?? {}, [...path, "repeat", "expect"], say);
  }
  const { repeat: _, ...plain } = step;
  checkReferences(plain, path, inner);
  checkExpect(step, path, say);
  seen.set(step.name, step);
}

function checkVerb(step: Step, path: Place, { say, known }: Around): void {
  const operations = known.operations ? [...known.operations.keys()] : namesOf("Operation");
  const operation = step.call === undefined ? undefined : known.operations?.get(step.call);
  if (step.call !== undefined && !operations.includes(step.call))
    say([...path, "call"], unknown("operation", step.call, operations));
  for (const { name } of operation?.parameters.filter((each) => each.in === "path") ?? []) {
    if (step.with?.[name] === undefined)
      say([...path, step.with ? "with" : "call"], `${step.call} needs \`${name}\` in \`with\``);
  }
  const acts = known.acts ?? namesOf("Act");
  if (step.act !== undefined && !acts.includes(step.act)) say([...path, "act"], unknown("act", step.act, acts));
  for (const { operation: broken } of faultsOf(step)) {
    if (typeof broken === "string" && !operations.includes(broken))
      say([...path, "fault"], unknown("operation", broken, operations));
  }
  for (const member of ["as", "headers"] as const) {
    if (step[member] !== undefined && step.call === undefined)
      say([...path, member], `\`${member}\` belongs to \`call\``);
  }
  if (step.with !== undefined && step.call === undefined && step.act === undefined)
    say([...path, "with"], "`with` belongs to `call` or `act`");
  const scopes = namesOf("Scope");
  if (typeof step.as === "string" && !/^(none$|raw:)/.test(step.as) && !scopes.includes(step.as))
    say([...path, "as"], unknown("scope", step.as, scopes));
}

function checkExpect(step: Step, path: Place, say: Say): void {
  const answers = verbsIn(step)[0]?.answers;
  for (const [name, wanted] of Object.entries(step.expect ?? {})) {
    if (answers && !(name in matchers) && !answers.includes(name))
      say([...path, "expect", name], unknown("answer", name, answers));
    checkMatchers(wanted, [...path, "expect", name], say);
  }
}

function checkMatchers(wanted: Json, path: Place, say: Say): void {
  if (Array.isArray(wanted)) for (const [index, each] of wanted.entries()) checkMatchers(each, [...path, index], say);
  if (!isObject(wanted)) return;
  for (const [name, value] of Object.entries(wanted)) {
    if (name.startsWith("$") && !(name in matchers))
      say([...path, name], unknown("matcher", name, Object.keys(matchers)));
    if (name === "$type" && !typeNames.includes(String(value)))
      say([...path, name], unknown("type", String(value), typeNames));
    if (name === "$match" && !isPattern(value)) say([...path, name], `${String(value)} is not a regular expression`);
    checkMatchers(value, [...path, name], say);
  }
}

function isPattern(value: Json): boolean {
  try {
    return new RegExp(String(value), "u") instanceof RegExp && typeof value === "string";
  } catch {
    return false;
  }
}

function checkReferences(value: unknown, path: Place, { say, seen, given, inRound }: Around): void {
  for (const { text, path: inside } of referencesIn(value)) {
    const at = [...path, ...inside];
    const names = [...seen.keys()];
    const { name, members } = partsOf(text, [...roots, ...names]);
    const [first] = members;
    if (name === undefined)
      say(at, `${unknown("earlier step", text.split(/[.[]/)[0] ?? "", [...names, ...roots])} (in \${${text}})`);
    else if (name === "round" && !inRound) say(at, `\${${text}} is known only within \`repeat\``);
    else if (name === "env" && (first === undefined || process.env[first] === undefined))
      say(at, `\${${text}}: the environment has no ${first ?? "such name"}`);
    else if (name === "given" && !Object.hasOwn(given, first ?? ""))
      say(at, unknown("given value", first ?? "", Object.keys(given)));
    else if (first !== undefined && seen.has(name)) {
      const answers = verbsIn(seen.get(name) as Step)[0]?.answers ?? [];
      if (!answers.includes(first)) say(at, `${unknown("answer", first, answers)} (in \${${text}})`);
    }
  }
}

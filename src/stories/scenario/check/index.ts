// Finds all problems of a scenario before anything runs: those of its form, and names that the sandbox does not know. The time is linear
// in the size of the scenario.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject, type Json, type JsonObject } from "../../../platform/json.ts";
import type { Position } from "../../../platform/positions.ts";
import { explainUnreadableFolder, resolveFixtureFolder, toOption } from "../fixture-folder.ts";
import type { Read } from "../load.ts";
import type { Known } from "../operations.ts";
import { findReferences, roots } from "../refs.ts";
import type { Loaded, Rounds, Scenario, Step } from "../scenario.ts";
import { listAllowedNames, MAX_REPORTED, type MemberPath, suggest } from "../schema.ts";
import { getVerbs, verbs } from "../steps/index.ts";
import { listInnerSteps } from "../steps/repeat.ts";
import { checkReferences, findStep, type Scope } from "./references.ts";
import { checkAssumptions, checkExpect, checkValues, type MemberAt, type Say } from "./values.ts";

/** Returns "file:line:column: reason" in the order of the file. Without `known`, only the form is checked, which needs no sandbox. */
export function findProblems({ file, loaded, misfits, unreadable }: Read, known?: Known): string[] {
  if (!loaded) return [...unreadable];
  const problems: { at: Position; reason: string }[] = misfits.map(({ path, reason }) => ({
    at: loaded.locate(path),
    reason,
  }));
  // A value with an invalid form is reported once.
  const misshapen = new Set(misfits.filter(({ lacks }) => lacks === undefined).map(({ path }) => path.join("/")));
  const hasEnough = () => problems.length > MAX_REPORTED;
  const say: Say = (path, reason) => {
    if (!hasEnough() && !misshapen.has(path.join("/"))) problems.push({ at: loaded.locate(path), reason });
  };
  if (known) checkScenario(loaded, known, { say, enough: hasEnough });
  // The problems are sorted by their position in the file.
  problems.sort((a, b) => a.at.line - b.at.line || a.at.column - b.at.column);
  const lines = problems.map(({ at, reason }) => `${file}:${at.line}:${at.column}: ${reason}`);
  const more = lines.length > MAX_REPORTED ? [`${file}: there are more problems; fix these first`] : [];
  return [...new Set(lines.slice(0, MAX_REPORTED)), ...more];
}

function checkScenario(loaded: Loaded, known: Known, { say, enough }: Pick<StepSurroundings, "say" | "enough">): void {
  const { scenario } = loaded;
  const { steps, given }: Partial<Scenario> = scenario;
  checkFixture(loaded, known, say);
  checkAssumptions(scenario.assume, ["assume"], known, say);
  if (!Array.isArray(steps)) return;
  const columns = listColumns(loaded);
  if (Array.isArray(columns)) checkTitle(scenario.title, columns, say);
  const around = { say, enough, known, given: isObject(given) ? given : {}, columns };
  checkHead(scenario, around);
  checkSteps(steps as unknown as Json[], ["steps"], around);
}

function listColumns({ rows, scenario }: Loaded): StepSurroundings["columns"] {
  if (rows) return Object.keys(rows[0] ?? {});
  return scenario.each === undefined ? undefined : "unread";
}

/** The title is printed before the first step, so it can only refer to the row. */
function checkTitle(title: string, columns: readonly string[], say: Say): void {
  for (const { text } of findReferences(title)) {
    const [root, column] = text.trim().split(/[.[\]]+/);
    if (root !== "row") say(["title"], `a title can refer to \`row\` only (in \${${text}})`);
    else if (column === undefined || !columns.includes(column))
      say(["title"], suggest("column", column ?? "", columns));
  }
}

function checkFixture(loaded: Loaded, { fixtures, folders }: Known, say: Say): void {
  const { fixture }: Partial<Scenario> = loaded.scenario;
  const folder = resolveFixtureFolder(loaded);
  const reason = explainUnreadableFolder(loaded);
  if (reason !== undefined) say(["fixture"], reason);
  // The first problem is enough, because `sandbox validate` lists all problems of the fixture.
  const [first, ...others] = folders?.get(folder ?? "") ?? [];
  const more = others.length > 0 ? ` (and ${others.length} more: sandbox validate ${toOption(folder ?? "")})` : "";
  if (first !== undefined) say(["fixture"], `the fixture has a fault: ${first}${more}`);
  if (folder === undefined && typeof fixture === "string" && fixtures && !fixtures.includes(fixture))
    say(["fixture"], suggest("fixture", fixture, fixtures) + suggestFolder(loaded.file, fixture));
}

function suggestFolder(file: string, name: string): string {
  return existsSync(join(dirname(file), name, "world.json")) ? `; the folder beside this file is \`./${name}\`` : "";
}

// Checks the steps: each has one verb, a unique name, and only members that belong to its verb.

interface StepSurroundings {
  say: Say;
  /** Returns whether the limit of reported problems is reached. */
  enough(): boolean;
  known: Known;
  given: JsonObject;
  columns?: Scope["columns"];
}

/** Checks the values of the head, which can refer to earlier values but not to steps. */
function checkHead({ each, given }: Pick<Scenario, "each" | "given">, around: StepSurroundings): void {
  const before: JsonObject = {};
  const scope = { ...createScope(around), given: before };
  // A row of a file is data, so text that looks like a reference is not one.
  if (Array.isArray(each)) checkReferences(each, ["each"], { ...scope, columns: undefined }, around.say);
  for (const [name, value] of Object.entries(isObject(given) ? given : {})) {
    checkReferences(value, ["given", name], scope, around.say);
    before[name] = value;
  }
}

const createScope = ({ given, columns, known }: StepSurroundings): Scope => ({
  steps: new Map(),
  later: new Set(),
  outer: undefined,
  inRound: false,
  given,
  columns,
  env: known.env,
});

function checkSteps(steps: readonly Json[], path: MemberPath, around: StepSurroundings, outer?: Scope): void {
  // The set distinguishes later steps from unknown ones.
  const later = new Set(steps.flatMap((step) => (isObject(step) && typeof step.name === "string" ? [step.name] : [])));
  const scope: Scope = { ...createScope(around), later, outer, inRound: outer !== undefined };
  for (const [index, step] of steps.entries()) {
    if (around.enough()) return;
    if (!isObject(step)) continue;
    checkStep(step as unknown as Step, [...path, index], around, scope);
    if (typeof step.name === "string") scope.steps.set(step.name, step as unknown as Step);
  }
}

function checkStep(step: Step, path: MemberPath, around: StepSurroundings, scope: Scope): void {
  const { say } = around;
  checkName(step, path, scope, say);
  const found = getVerbs(step);
  if (found.length !== 1) say(path, describeVerbConflict(found.map(({ name }) => name)));
  const { repeat, ...plain } = step;
  checkReferences(plain, path, { ...scope, inRound: scope.inRound || repeat !== undefined }, say);
  if (isObject(repeat)) checkRounds(step, path, around, scope);
  else checkVerb(step, (member) => [...path, member], around);
}

/** Checks several steps, or the one verb in `repeat` or next to it. */
function checkRounds(step: Step, path: MemberPath, around: StepSurroundings, outer: Scope): void {
  const { say } = around;
  const { repeat, ...beside } = step;
  const { steps, ...own } = repeat as Rounds;
  const within = [...path, "repeat"];
  checkExpect(step, [...path, "expect"], say);
  checkReferences(own, within, { ...outer, inRound: true }, say);
  const [inner] = Array.isArray(steps) ? [] : listInnerSteps(step);
  // The member `expect` may be in both, because it applies to each round in `repeat`, and to all rounds next to it.
  for (const member of Object.keys(own).filter((name) => name !== "expect" && name in beside))
    say([...within, member], `\`${member}\` stands in \`repeat\` and beside it; leave one of them out`);
  if (getVerbs({ ...beside, ...own } as Step).length !== (inner ? 1 : 0))
    say(within, "it repeats one verb, or `steps`");
  else if (!inner) checkSteps(steps as unknown as Json[], [...within, "steps"], around, outer);
  else checkVerb(inner, (member) => (member in own ? [...within, member] : [...path, member]), around);
}

function describeVerbConflict(found: readonly string[]): string {
  const all = verbs.map(({ name }) => name).join(", ");
  return `a step has one verb of ${all}; this has ${found.join(" and ") || "none"}`;
}

function checkName({ name }: Step, path: MemberPath, scope: Scope, say: Say): void {
  if (roots.includes(name)) say([...path, "name"], `\`${name}\` can't name a step, since references use it`);
  if (findStep(scope, name))
    say([...path, "name"], `two steps are called \`${name}\`, so a reference could mean either`);
}

function checkVerb(step: Step, at: MemberAt, around: StepSurroundings): void {
  const { say, known } = around;
  const { call, act } = step;
  if (call !== undefined && !known.operations.has(call))
    say(at("call"), suggest("operation", String(call), known.operations.keys()));
  if (act !== undefined && !known.acts.has(act)) say(at("act"), suggest("act", String(act), known.acts.keys()));
  checkBelonging(step, at, say);
  checkValues(step, known, at, say);
}

/** These members are only allowed with some verbs. */
const BELONGS: readonly [member: keyof Step, verbs: readonly string[]][] = [
  ["as", ["call"]],
  ["headers", ["call"]],
  ["query", ["call"]],
  ["with", ["call", "act", "trigger"]],
];

function checkBelonging(step: Step, at: MemberAt, say: Say): void {
  for (const [member, owners] of BELONGS) {
    if (step[member] === undefined || owners.some((owner) => owner in step)) continue;
    say(at(member), `\`${member}\` belongs to ${owners.map((owner) => `\`${owner}\``).join(" or ")}`);
  }
  const scopes = listAllowedNames("Scope");
  if (typeof step.as === "string" && !/^(none$|raw:)/.test(step.as) && !scopes.includes(step.as))
    say(at("as"), suggest("scope", step.as, scopes));
}

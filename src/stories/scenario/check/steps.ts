// Checks the steps of a scenario: each has one verb, a unique name, and only members that belong to its verb.
import { isObject, type Json, type JsonObject } from "../../../platform/json.ts";
import type { Known } from "../operations.ts";
import { roots } from "../refs.ts";
import type { Rounds, Scenario, Step } from "../scenario.ts";
import { listAllowedNames, type MemberPath } from "../schema.ts";
import { getVerbs, verbs } from "../steps/index.ts";
import { listInnerSteps } from "../steps/repeat.ts";
import { suggest } from "../unknown.ts";
import { checkReferences, findStep, type Scope } from "./references.ts";
import {
  checkActInput,
  checkAdvance,
  checkAssumptions,
  checkCallInput,
  checkExpect,
  checkFaults,
  checkHeaders,
  type MemberAt,
  type Say,
} from "./values.ts";

export interface StepSurroundings {
  say: Say;
  /** Returns whether the limit of reported problems is reached. */
  enough(): boolean;
  known: Known;
  given: JsonObject;
  columns?: Scope["columns"];
}

/** Checks the values of the head, which can refer to earlier values but not to steps. */
export function checkHead({ each, given }: Pick<Scenario, "each" | "given">, around: StepSurroundings): void {
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

export function checkSteps(steps: readonly Json[], path: MemberPath, around: StepSurroundings, outer?: Scope): void {
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
  const operations = [...known.operations.keys()];
  const { call, act } = step;
  if (call !== undefined && !known.operations.has(call))
    say(at("call"), suggest("operation", String(call), operations));
  if (act !== undefined && !known.acts.has(act)) say(at("act"), suggest("act", String(act), known.acts.keys()));
  checkAssumptions(step.assume, at("assume"), known, say);
  checkFaults(step, operations, at, say);
  checkAdvance(step, at, say);
  checkBelonging(step, at, say);
  checkCallInput(step, known, at, say);
  checkActInput(step, known, at, say);
  checkHeaders(step, at, say);
  checkExpect(step, at("expect"), say);
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

// Checks the values of the head and of steps: clock moves, faults, assumptions, inputs of calls and acts, and expectations.

import { validateHeaderName, validateHeaderValue } from "node:http";
import type { Schemas } from "../../../client/control.ts";
import { ANY, after, findFaultProblem, isBeyondTime, isDuration, MAX_MOVE } from "../../../engine/domain/index.ts";
import { isObject, type Json } from "../../../platform/json.ts";
import { findNearest } from "../../../platform/nearest.ts";
import { explainInvalidPattern, isMatcher, matchers, typeNames } from "../match.ts";
import { findParameter, type Known, type Operation } from "../operations.ts";
import { findReferences } from "../refs.ts";
import type { Step } from "../scenario.ts";
import { findInputProblems, type MemberPath, suggest } from "../schema.ts";
import { listFaults } from "../steps/control.ts";
import { getVerbs } from "../steps/index.ts";

/** Reports the reason why the value at the path is invalid. */
export type Say = (path: MemberPath, reason: string) => void;

/** Returns the path of a member of a step, which is in the step or in its `repeat`. */
export type MemberAt = (member: string) => MemberPath;

/** Checks the values of a step with one verb. */
export function checkValues(step: Step, known: Known, at: MemberAt, say: Say): void {
  checkAssumptions(step.assume, at("assume"), known, say);
  checkFaults(step, [...known.operations.keys()], at, say);
  checkAdvance(step, at, say);
  checkCallInput(step, known, at, say);
  checkActInput(step, known, at, say);
  checkHeaders(step, at, say);
  checkExpect(step, at("expect"), say);
}

/** Returns whether the step may expect a rejection of its input. */
function canBeInvalid({ expect }: Step): boolean {
  if (!isObject(expect)) return false;
  const { status, code } = expect;
  return status === 400 || code === "BAD_REQUEST" || [status, code].some(isObject);
}

/** The start is arbitrary, because the length of months and years hardly varies. */
const START = "2000-01-01T00:00:00.000Z";

function checkAdvance(step: Step, at: MemberAt, say: Say): void {
  const { advance } = step;
  const [by, path] = isObject(advance) ? [advance.by, [...at("advance"), "by"]] : [advance, at("advance")];
  if (typeof by !== "string" || !isDuration(by) || canBeInvalid(step)) return;
  if (isBeyondTime(START, by) || after(START, by) > after(START, MAX_MOVE))
    say(path, `a clock moves by at most ${MAX_MOVE} at a time, but this is ${by.slice(0, 60)}; go in smaller steps`);
}

export function checkAssumptions(assume: unknown, path: MemberPath, { assumptions }: Known, say: Say): void {
  for (const [id, value] of Object.entries(isObject(assume) ? assume : {})) {
    const answers = assumptions.get(id);
    if (!answers) say([...path, id], suggest("assumption", id, assumptions.keys()));
    else if (!answers.includes(String(value))) say([...path, id], suggest(`answer to ${id}`, String(value), answers));
  }
}

function checkFaults(step: Step, operations: readonly string[], at: MemberAt, say: Say): void {
  for (const [index, fault] of listFaults(step).entries()) {
    const path = [...at("fault"), ...(Array.isArray(step.fault) ? [index] : [])];
    // The value of a reference is only known when the scenario runs.
    if (!isObject(fault) || findReferences(fault).length > 0) continue;
    const { operation = ANY } = fault;
    const problem = canBeInvalid(step) ? undefined : findFaultProblem(fault as object as Schemas["FaultInput"]);
    if (typeof operation === "string" && operation !== ANY && !operations.includes(operation))
      say([...path, "operation"], suggest("operation", operation, operations));
    else if (problem) say([...path, ...problem.member.split(".")], `\`${problem.member}\`: ${problem.what}`);
  }
}

// Checks the expectation of a step: the fields must be those of the verb's result, and numbers and matchers must be valid.

export function checkExpect(step: Step, path: MemberPath, say: Say): void {
  const answers = getVerbs(step)[0]?.answers;
  for (const [name, wanted] of Object.entries(isObject(step.expect) ? step.expect : {})) {
    if (answers && !isMatcher(name) && !answers.includes(name)) say([...path, name], suggest("answer", name, answers));
    const reason = Object.hasOwn(NUMBERS, name) && !isLater(wanted) ? explainMisfit(NUMBERS[name], wanted) : undefined;
    if (reason !== undefined) say([...path, name], reason);
    else checkMatchers(wanted, [...path, name], say);
  }
}

const isWhole = (value: Json, from: number, to = Number.MAX_SAFE_INTEGER): boolean =>
  Number.isInteger(value) && Number(value) >= from && Number(value) <= to;

// The value of a matcher or a reference is only known when the scenario runs.
const isLater = (value: Json): boolean => isObject(value) || findReferences(value).length > 0;

/** A form that a value must have. */
interface ValueForm {
  fits(value: Json): boolean;
  form: string;
}

const explainMisfit = (expected: ValueForm | undefined, value: Json): string | undefined =>
  !expected || expected.fits(value) ? undefined : `${expected.form}, but this is ${JSON.stringify(value)}`;

const NUMBERS: Readonly<Record<string, ValueForm>> = {
  // The status is null if the connection broke.
  status: { fits: (value) => value === null || isWhole(value, 100, 599), form: "a status is a number such as 200" },
  times: { fits: (value) => isWhole(value, 0), form: "`times` is a whole number from 0" },
};

const isOrdered = (value: Json): boolean => typeof value === "number" || typeof value === "string";
const MATCHERS: Readonly<Record<string, ValueForm>> = {
  $length: {
    fits: (value) => isObject(value) || isWhole(value, 0),
    form: "`$length` is a whole number from 0, or a matcher",
  },
  $gt: { fits: isOrdered, form: "`$gt` is a number or a text" },
  $lt: { fits: isOrdered, form: "`$lt` is a number or a text" },
  $exists: { fits: (value) => typeof value === "boolean", form: "`$exists` is true or false" },
};

function checkMatchers(wanted: Json, path: MemberPath, say: Say): void {
  if (Array.isArray(wanted)) for (const [index, each] of wanted.entries()) checkMatchers(each, [...path, index], say);
  if (!isObject(wanted)) return;
  for (const [name, value] of Object.entries(wanted)) {
    // Names of fields never start with a dollar, so an unknown one is a misspelled matcher.
    if (name.startsWith("$") && !isMatcher(name)) say([...path, name], suggest("matcher", name, Object.keys(matchers)));
    const reason =
      isMatcher(name) && findReferences(value).length === 0 ? explainInvalidMatcher(name, value) : undefined;
    if (reason !== undefined) say([...path, name], reason);
    checkMatchers(value, [...path, name], say);
  }
}

function explainInvalidMatcher(name: string, value: Json): string | undefined {
  if (name === "$match") return explainInvalidPattern(value);
  if (name === "$type" && !typeNames.includes(String(value))) return suggest("type", String(value), typeNames);
  return explainMisfit(MATCHERS[name], value);
}

// Checks the input of a call or an act: path, query and header parameters with the sandbox's document, and inputs of acts with their schemas.
// Bodies of calls, and acts that expect a rejection of their input, may be invalid intentionally.

function checkCallInput(step: Step, { operations }: Known, at: MemberAt, say: Say): void {
  const operation = operations.get(step.call ?? "");
  if (!operation || (step.with !== undefined && !isObject(step.with))) return;
  const given = Object.keys(step.with ?? {});
  // An unknown name may be a field of the body, or a misspelled parameter.
  const strangers = new Set(given.filter((name) => !findParameter(operation, name)));
  for (const name of listMissingPathParameters(operation, step)) {
    const meant = [...strangers].find((each) => findNearest(each, [name]));
    if (meant === undefined) say(at(step.with ? "with" : "call"), `${operation.id} needs \`${name}\` in \`with\``);
    else say([...at("with"), meant], suggest("parameter", meant, [name]));
    if (meant !== undefined) strangers.delete(meant);
  }
  // A body may contain anything, including intentional errors.
  if (operation.body !== undefined) return;
  const names = operation.parameters.map(({ name }) => name);
  for (const name of strangers) say([...at("with"), name], describeUnknownParameter(operation, name, names));
}

function listMissingPathParameters({ parameters }: Operation, { with: given = {} }: Step): string[] {
  return parameters.filter((each) => each.in === "path" && (given[each.name] ?? null) === null).map(({ name }) => name);
}

function describeUnknownParameter({ id }: Operation, name: string, names: readonly string[]): string {
  const sentence = suggest(`parameter of ${id}`, name, names);
  return findNearest(name, names) ? sentence : `${sentence}; to send it anyway, write it in \`query\``;
}

/** Headers that are invalid in HTTP can't be sent. */
function checkHeaders(step: Step, at: MemberAt, say: Say): void {
  const ofReceiver = [...at("receiver"), "headers"];
  for (const [root, headers] of [
    [at("headers"), step.headers],
    [ofReceiver, step.receiver?.headers],
  ] as const) {
    for (const [name, value] of Object.entries(isObject(headers) ? headers : {})) {
      if (!isSound(() => validateHeaderName(name))) say([...root, name], `a header can't be called \`${name}\``);
      else if (findReferences(value).length === 0 && !isSound(() => validateHeaderValue(name, String(value))))
        say([...root, name], "a header can't hold this: it has letters of Latin-1 only, and no line breaks");
    }
  }
}

function isSound(validate: () => void): boolean {
  try {
    validate();
    return true;
  } catch {
    return false;
  }
}

function checkActInput(step: Step, { acts }: Known, at: MemberAt, say: Say): void {
  const { act, with: input = {} } = step;
  const schema = acts.get(act ?? "");
  if (!schema || !isObject(input) || canBeInvalid(step)) return;
  const root = at(step.with === undefined ? "act" : "with");
  for (const { path, reason, lacks } of findInputProblems(schema, input))
    say([...root, ...path], lacks && path.length === 0 ? `${act} needs \`${lacks}\` in \`with\`` : reason);
}

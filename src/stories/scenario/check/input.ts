// Checks the input of a call or an act: path, query and header parameters with the sandbox's document, and inputs of acts with their schemas.
// Bodies of calls, and acts that expect a rejection of their input, may be invalid intentionally.
import { validateHeaderName, validateHeaderValue } from "node:http";
import { findNearest } from "../../../platform/nearest.ts";
import { isObject } from "../match.ts";
import { findParameter, type Known, type Operation } from "../operations.ts";
import { findReferences } from "../refs.ts";
import type { Step } from "../scenario.ts";
import { findInputProblems } from "../schema.ts";
import { suggest } from "../unknown.ts";
import { canBeInvalid, type MemberAt, type Say } from "./values.ts";

export function checkCallInput(step: Step, { operations }: Known, at: MemberAt, say: Say): void {
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
export function checkHeaders(step: Step, at: MemberAt, say: Say): void {
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

export function checkActInput(step: Step, { acts }: Known, at: MemberAt, say: Say): void {
  const { act, with: input = {} } = step;
  const schema = acts.get(act ?? "");
  if (!schema || !isObject(input) || canBeInvalid(step)) return;
  const root = at(step.with === undefined ? "act" : "with");
  for (const { path, reason, lacks } of findInputProblems(schema, input))
    say([...root, ...path], lacks && path.length === 0 ? `${act} needs \`${lacks}\` in \`with\`` : reason);
}

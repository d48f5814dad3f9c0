// Checks references. They must name an earlier step and a field of its result, a given value, or an environment variable.

import type { JsonObject } from "../../../platform/json.ts";
import { explainNesting, findReferences, parseReference, roots } from "../refs.ts";
import type { Step } from "../scenario.ts";
import { type MemberPath, suggest } from "../schema.ts";
import { getVerbs } from "../steps/index.ts";
import type { Say } from "./values.ts";

/** The names that a step can use: earlier steps of its list, and of the lists around it. */
export interface Scope {
  steps: Map<string, Step>;
  /** Names of all steps of the list. */
  later: ReadonlySet<string>;
  outer: Scope | undefined;
  inRound: boolean;
  given: JsonObject;
  /** The columns of `each`; "unread" if its rows are invalid, which is reported separately. */
  columns?: readonly string[] | "unread" | undefined;
  /** The environment variables that the scenario may read; undefined if nothing is played. */
  env?: readonly string[] | undefined;
}

/** These variables describe the sandbox and contain no secret. */
const ALWAYS_READABLE = ["SANDBOX_URL", "SANDBOX_TOKEN_URL", "SANDBOX_CLIENT_ID", "SANDBOX_WORLD"];

/** Scenarios are untrusted and can send values to any address, so the user allows each variable. */
export const canReadVariable = (name: string, allowed: readonly string[]): boolean =>
  ALWAYS_READABLE.includes(name) || allowed.includes(name);

export function findStep({ steps, outer }: Scope, name: string): Step | undefined {
  return steps.get(name) ?? (outer && findStep(outer, name));
}

const listNames = (scope: Scope): string[] => [...scope.steps.keys(), ...(scope.outer ? listNames(scope.outer) : [])];

export function checkReferences(value: unknown, path: MemberPath, scope: Scope, say: Say): void {
  for (const { text, path: inside, isOpen } of findReferences(value)) {
    const reason = isOpen
      ? `\${${text}: a reference ends with }; $\${ writes \${ itself`
      : explainInvalidReference(text, scope);
    if (reason !== undefined) say([...path, ...inside], reason);
  }
}

function explainInvalidReference(text: string, scope: Scope): string | undefined {
  const nested = explainNesting(text);
  if (nested !== undefined) return nested;
  const { name, members } = parseReference(text, (each) => roots.includes(each) || findStep(scope, each) !== undefined);
  if (name === undefined) return describeUnknownStep(text, scope);
  const [first] = members;
  const step = findStep(scope, name);
  if (step) {
    const position = /\[(?!-?\d+\])[^\]]*\]?/.exec(text)?.[0];
    if (position !== undefined)
      return `${position} is no position in a list: write [0] for the first, [-1] for the last, .name for a member (in \${${text}})`;
    // The first member is checked; deeper ones depend on the response.
    const answers = getVerbs(step)[0]?.answers;
    if (first === undefined || !answers || answers.includes(first)) return undefined;
    return `${suggest("answer", first, answers)} (in \${${text}})`;
  }
  return whyNotRoot[name]?.(first, scope, text);
}

function describeUnknownStep(text: string, scope: Scope): string {
  const { name: later } = parseReference(text, (each) => scope.later.has(each));
  if (later !== undefined) return `\`${later}\` comes later, and a reference names an earlier step (in \${${text}})`;
  return `${suggest("earlier step", text.split(/[.[]/)[0] ?? "", [...listNames(scope), ...roots])} (in \${${text}})`;
}

const whyNotRoot: Record<string, (first: string | undefined, scope: Scope, text: string) => string | undefined> = {
  round: (_, { inRound }, text) => (inRound ? undefined : `\${${text}} is known only within \`repeat\``),
  env: (first, { env }, text) => {
    if (first === undefined) return `\${${text}} needs the name of a variable, such as \${env.SANDBOX_URL}`;
    if (env !== undefined && !canReadVariable(first, env))
      return `\${${text}}: a scenario reads only variables that you allow. Add --env ${first} to let it read ${first}`;
    return process.env[first] === undefined ? `\${${text}}: the environment has no ${first}` : undefined;
  },
  given: (first = "", { given }) =>
    Object.hasOwn(given, first) ? undefined : suggest("given value", first, Object.keys(given)),
  row: (first, { columns }, text) => {
    if (!columns) return `\${${text}} is known only with \`each\``;
    return first === undefined || columns === "unread" || columns.includes(first)
      ? undefined
      : suggest("column", first, columns);
  },
};

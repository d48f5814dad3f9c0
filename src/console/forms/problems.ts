// Assigns the errors of a rejection to form fields, by the path that the sandbox reports. An error without a path that quotes a value is
// shown at the field that has the value, and any other error for the whole form.
import { nameMember, type ReportedError } from "../../client/format-error.ts";
import { toSentenceCase } from "../to-sentence-case.ts";
import type { Input } from "./form-model.ts";

export interface FieldProblem {
  /** A path such as "customer.name", or "" for the complete input. */
  path: string;
  sentence: string;
}

export function toFieldProblems({ message, violations = [] }: ReportedError, input: Input): FieldProblem[] {
  if (violations.length === 0) return [{ path: findQuotedPath(message, input) ?? "", sentence: message }];
  return violations.map((violation) => ({ path: nameMember(violation), sentence: toSentenceCase(violation.problem) }));
}

/** Finds the path of the only string of the input that the sentence quotes. */
function findQuotedPath(sentence: string, input: Input): string | undefined {
  const words = new Set(sentence.split(/[\s,;:"“”]+/).map((word) => word.replace(/[.]$/, "")));
  const quoted = listTexts(input).filter(([, text]) => words.has(text));
  return quoted.length === 1 ? quoted[0]?.[0] : undefined;
}

/** Lists every string of the input with its path. */
function listTexts(value: unknown, path = ""): [path: string, text: string][] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, of]) => listTexts(of, path ? `${path}.${name}` : name));
}

/** Returns the problems of a field, and of nested values that have no field of their own. */
export function formatFieldMessage(problems: readonly FieldProblem[], path: string, isLeaf: boolean): string {
  const own = problems.filter((problem) => problem.path === path || (isLeaf && problem.path.startsWith(`${path}.`)));
  return own.map(({ sentence }) => sentence).join(" ");
}

/** Returns the problems that no field shows, because they concern the complete input or an unknown field. */
export function formatOtherProblems(problems: readonly FieldProblem[], fields: readonly { name: string }[]): string {
  const own = problems.filter(({ path }) => !fields.some(({ name }) => path.split(".")[0] === name));
  return own.map(({ path, sentence }) => [path, sentence].filter(Boolean).join(": ")).join("\n");
}

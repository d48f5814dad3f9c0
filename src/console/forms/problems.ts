// A rejection at its field. The sandbox reports the path of each wrong value. An error without one that quotes a value is shown at the
// field that has the value, and any other error for the whole form.
import { nameMember, type ReportedError } from "../../client/format-error.ts";
import { toSentenceCase } from "../to-sentence-case.ts";
import type { Input } from "./form-model.ts";

export interface FieldProblem {
  /** "customer.name"; "" for the whole. */
  path: string;
  sentence: string;
}

export function toFieldProblems({ message, violations = [] }: ReportedError, input: Input): FieldProblem[] {
  if (violations.length === 0) return [{ path: findQuotedPath(message, input) ?? "", sentence: message }];
  return violations.map((violation) => ({ path: nameMember(violation), sentence: toSentenceCase(violation.problem) }));
}

/** The path of the one text of the input that a sentence quotes. */
function findQuotedPath(sentence: string, input: Input): string | undefined {
  const words = new Set(sentence.split(/[\s,;:"“”]+/).map((word) => word.replace(/[.]$/, "")));
  const quoted = listTexts(input).filter(([, text]) => words.has(text));
  return quoted.length === 1 ? quoted[0]?.[0] : undefined;
}

/** Every text in the input, with its path. */
function listTexts(value: unknown, path = ""): [path: string, text: string][] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, of]) => listTexts(of, path ? `${path}.${name}` : name));
}

/** What is said at a field: of itself, and of what it has no fields for. */
export function formatFieldMessage(problems: readonly FieldProblem[], path: string, isLeaf: boolean): string {
  const own = problems.filter((problem) => problem.path === path || (isLeaf && problem.path.startsWith(`${path}.`)));
  return own.map(({ sentence }) => sentence).join(" ");
}

/** What no field says: of the whole, or of a member that the form does not have. */
export function formatOtherProblems(problems: readonly FieldProblem[], fields: readonly { name: string }[]): string {
  const own = problems.filter(({ path }) => !fields.some(({ name }) => path.split(".")[0] === name));
  return own.map(({ path, sentence }) => [path, sentence].filter(Boolean).join(": ")).join("\n");
}

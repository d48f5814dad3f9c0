// A refusal at its field. The sandbox names paths ("body.refund must be …"); what names none but quotes a value stands at the
// field that has the value; the rest is about the whole.
import type { Input } from "./form-model.ts";

export interface FieldProblem {
  /** "customer.name"; "" for the whole. */
  path: string;
  sentence: string;
}

/** "body.customer.name: must be …": the path, and what is said of it. */
const NAMED = /^body(?:\.([\w.-]*\w))?:?\s+(.*)$/s;

/** One problem for each sentence of a refusal that names a member. */
export function problemsOf(message: string, input: Input): FieldProblem[] {
  const parts = message.split(/(?<=\.)\s+(?=body[.:\s])/);
  return parts.map((part) => {
    const [, path, rest = ""] = NAMED.exec(part) ?? [];
    // A whole sentence may begin with a name.
    const sentence = rest ? `${rest.charAt(0).toUpperCase()}${rest.slice(1)}` : part;
    return { path: path ?? quotedPath(part, input) ?? "", sentence };
  });
}

/** The path of the one text of the input that a sentence quotes. */
function quotedPath(sentence: string, input: Input): string | undefined {
  const words = new Set(sentence.split(/[\s,;:"“”]+/).map((word) => word.replace(/[.]$/, "")));
  const quoted = textsOf(input).filter(([, text]) => words.has(text));
  return quoted.length === 1 ? quoted[0]?.[0] : undefined;
}

/** Every text in the input, with its path. */
function textsOf(value: unknown, path = ""): [path: string, text: string][] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, of]) => textsOf(of, path ? `${path}.${name}` : name));
}

/** What is said at a field: of itself, and of what it has no fields for. */
export function messageAt(problems: readonly FieldProblem[], path: string, isLeaf: boolean): string {
  const own = problems.filter((problem) => problem.path === path || (isLeaf && problem.path.startsWith(`${path}.`)));
  return own.map(({ sentence }) => sentence).join(" ");
}

/** What no field says: of the whole, or of a member that the form does not have. */
export function unplaced(problems: readonly FieldProblem[], fields: readonly { name: string }[]): string {
  const own = problems.filter(({ path }) => !fields.some(({ name }) => path.split(".")[0] === name));
  return own.map(({ path, sentence }) => [path, sentence].filter(Boolean).join(": ")).join("\n");
}

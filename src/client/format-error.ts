// An error of the control API as a sentence for the users of one interface. The API reports wrong values as data, and each interface names
// them its own way.
import type { Schemas } from "../contract/schemas.ts";

export type InputError = Schemas["InputError"];
/** What an error of the control API has beside its code. */
export interface ReportedError extends ErrorDetails {
  message: string;
}

export interface ErrorDetails {
  path?: string | undefined;
  parameter?: string | undefined;
  violations?: readonly InputError[] | undefined;
  list?: string | undefined;
}

/** How an interface names a wrong value, and the request that lists the values that exist. */
export interface ErrorNames {
  value(error: InputError): string;
  /** Undefined if the interface has no such list. */
  list(request: string): string | undefined;
}

export function formatError({ message, violations = [], list = "" }: ReportedError, names: ErrorNames): string {
  const problems = violations.map((violation) => `${names.value(violation)}: ${violation.problem}`);
  const sentence = problems.length === 0 ? message : problems.join(" ");
  const where = names.list(list);
  return where === undefined ? sentence : `${sentence} ${where} lists them.`;
}

/** The name of the parameter, or the path inside the body; empty for the body as a whole. */
export function nameMember({ path = "", parameter }: InputError): string {
  if (parameter !== undefined) return parameter;
  const [section, ...names] = path.split(".");
  return section === "body" ? names.join(".") : path;
}

// Formats an error of the control API for one interface. The API reports wrong values as data, and each interface names them its own way.
import type { Schemas } from "../contract/schemas.ts";

export type InputError = Schemas["InputError"];
/** The parts of an error of the control API without its code. */
export interface ReportedError extends ErrorDetails {
  message: string;
}

export interface ErrorDetails {
  path?: string | undefined;
  parameter?: string | undefined;
  violations?: readonly InputError[] | undefined;
  list?: string | undefined;
}

/** Names wrong values, and requests that list the valid values, in the terms of an interface. */
export interface ErrorNames {
  value(error: InputError): string;
  /** Returns undefined if the interface has no such list. */
  list(request: string): string | undefined;
}

export function formatError({ message, violations = [], list = "" }: ReportedError, names: ErrorNames): string {
  const problems = violations.map((violation) => `${names.value(violation)}: ${violation.problem}`);
  const sentence = problems.length === 0 ? message : problems.join(" ");
  const where = names.list(list);
  return where === undefined ? sentence : `${sentence} ${where} lists them.`;
}

/** Returns the name of the parameter, or the path in the body, which is empty for the whole body. */
export function nameMember({ path = "", parameter }: InputError): string {
  if (parameter !== undefined) return parameter;
  const [section, ...names] = path.split(".");
  return section === "body" ? names.join(".") : path;
}

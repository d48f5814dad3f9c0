// What was thrown at an input, as problems of its fields.
import { describeError, SandboxError } from "../api.ts";
import type { Input } from "./form-model.ts";
import { type FieldProblem, toFieldProblems } from "./problems.ts";

export function describeRejection(reason: unknown, input: Input): readonly FieldProblem[] {
  if (!(reason instanceof SandboxError)) return [{ path: "", sentence: describeError(reason) }];
  return toFieldProblems(reason, input);
}

// What was thrown at an input, as problems of its fields.
import { SandboxError, sentenceOf } from "../api.ts";
import type { Input } from "./form-model.ts";
import { type FieldProblem, problemsOf } from "./problems.ts";

export function refused(reason: unknown, input: Input): readonly FieldProblem[] {
  if (!(reason instanceof SandboxError)) return [{ path: "", sentence: sentenceOf(reason) }];
  return problemsOf(reason, input);
}

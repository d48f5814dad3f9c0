// What was thrown at an input, as problems of its fields.
import { SandboxError, sentenceOf } from "../api.ts";
import type { Input } from "./form-model.ts";
import { type FieldProblem, problemsOf } from "./problems.ts";

/** `inside`: the path of the input in what was sent, where that is more. */
export function refused(reason: unknown, input: Input, inside = /^$/): readonly FieldProblem[] {
  if (!(reason instanceof SandboxError)) return [{ path: "", sentence: sentenceOf(reason) }];
  return problemsOf(sentenceOf(reason), input).map(({ path, sentence }) => ({
    path: path.replace(inside, ""),
    sentence,
  }));
}

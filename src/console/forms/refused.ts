// What was thrown at an input, as faults of its fields.
import { SandboxError, sentenceOf } from "../api.ts";
import { type Fault, faultsOf } from "./faults.ts";
import type { Input } from "./form-model.ts";

/** `inside`: the path of the input in what was sent, where that is more. */
export function refused(reason: unknown, input: Input, inside = /^$/): readonly Fault[] {
  if (!(reason instanceof SandboxError)) return [{ path: "", sentence: sentenceOf(reason) }];
  return faultsOf(sentenceOf(reason), input).map(({ path, sentence }) => ({
    path: path.replace(inside, ""),
    sentence,
  }));
}

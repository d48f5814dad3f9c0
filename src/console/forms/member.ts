// What each part of a form is handed.
import type { Fault } from "./faults.ts";
import type { Field, Input, Path } from "./form-model.ts";

export interface Shared {
  input: Input;
  faults: readonly Fault[];
  onChange: (input: Input) => void;
}

export type MemberProps = Shared & { field: Field; path: Path; label?: string };

// The properties of form components.

import type { Field, Input, Path } from "./form-model.ts";
import type { FieldProblem } from "./problems.ts";

export interface FormContext {
  input: Input;
  problems: readonly FieldProblem[];
  onChange: (input: Input) => void;
}

export type MemberProps = FormContext & { field: Field; path: Path; label?: string };

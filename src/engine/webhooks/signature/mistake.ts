// What somebody's code may do wrong when it computes a signature, and what it computes with then.
import type { components } from "../../../contract/generated/control.ts";

export type Mistake = components["schemas"]["SignatureMistake"];

/** Something to compute with; without a mistake it is what is right. */
export interface Variant<T> {
  value: T;
  mistake?: Mistake;
}

export const wrong = <T>(mistake: string, value: T, what: string, fix: string): Variant<T> => ({
  value,
  mistake: { mistake, what, fix },
});

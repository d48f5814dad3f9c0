// What somebody's code may do wrong when it computes a signature, and what it computes with then.
import type { Schemas } from "../../../contract/schemas.ts";

export type Mistake = Schemas["SignatureMistake"];

/** Something to compute with; without a mistake it is what is right. */
export interface SigningVariant<T> {
  value: T;
  mistake?: Mistake;
}

export const wrong = <T>(mistake: string, value: T, what: string, fix: string): SigningVariant<T> => ({
  value,
  mistake: { mistake, what, fix },
});

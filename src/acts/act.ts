// The shape of an act: a host action that the public API has no endpoint for. It finds the records that its input names, calls the
// rule, and shows the result. Input types come from the control specification, which has validated the input before.
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { operations } from "../generated/control.ts";

type Json<T> = T extends { content: { "application/json": infer Body } } ? Body : never;
type Input<Id extends keyof operations> = operations[Id] extends { requestBody?: infer Body }
  ? Json<NonNullable<Body>>
  : never;

export type ActId = {
  [Id in keyof operations]: operations[Id]["responses"] extends {
    200: { content: { "application/json": { facts: unknown; result: unknown } } };
  }
    ? Id
    : never;
}[keyof operations];

/** Effects that an act may use. */
export interface Tools {
  /** A client id and secret from the system's random source. */
  newCredentials(): { id: string; secret: string };
}

export interface Act<Id extends ActId> {
  id: Id;
  perform(tx: Transaction, input: Input<Id>, tools: Tools): object;
}

export function act<Id extends ActId>(id: Id, perform: Act<Id>["perform"]): Act<Id> {
  return { id, perform };
}

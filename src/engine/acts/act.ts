// The shape of an act: a host action that the public API has no endpoint for. It finds the records that its input names, calls the
// rule, and shows the result. Input types come from the control specification, which has validated the input before.
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { ActId, ActInput, ActResults } from "./act-types.ts";

export type { ActId } from "./act-types.ts";

/** Effects that an act may use. */
interface Tools {
  /** A client id and secret from the system's random source. */
  newCredentials(): { id: string; secret: string };
}

export interface Act<Id extends ActId> {
  id: Id;
  perform(tx: Transaction, input: ActInput<Id>, tools: Tools): ActResults[Id];
}

export function act<Id extends ActId>(id: Id, perform: Act<Id>["perform"]): Act<Id> {
  return { id, perform };
}

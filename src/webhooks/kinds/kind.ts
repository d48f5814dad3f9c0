// The shape of a kind: the facts that send it, and what its message says. The payload's type is the specification's, so that a kind
// can't promise one thing and send another. Heading "Event kinds"; assumption: type-format.

import type { FactName } from "../../domain/kernel/facts.ts";
import type { EventKind } from "../../domain/kernel/kinds.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";
import type { webhooks } from "../../generated/api.ts";

export type Payload<K extends EventKind> = webhooks[K]["post"]["requestBody"]["content"]["application/json"]["payload"];

export interface Kind<K extends EventKind = EventKind> {
  kind: K;
  facts: readonly FactName[];
  /** What the message says of the record that the fact is about. */
  payload(tx: Transaction, id: string): Payload<K>;
}

// The shape of a trigger: it makes the thing happen that sends a kind, on a suitable record or on the one that is named, by the same
// rules as everybody; and answers what it happened to, as the public sees it.

import { reject } from "../../domain/kernel/domain-error.ts";
import type { EventKind } from "../../domain/kernel/kinds.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";
import type { Input } from "./input.ts";

export type Trigger = (tx: Transaction, inputs: Input) => object;

export function nothingFor(kind: EventKind, what: string): never {
  return reject("NOTHING_SUITABLE", { kind, what });
}

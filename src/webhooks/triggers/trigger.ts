// The shape of a trigger: it makes the thing happen that sends a kind, on a suitable record or on the one that is named, by the same
// rules as everybody; and answers what it happened to, as the public sees it.
import type { Desk } from "../../domain/desk.ts";
import type { EventKind } from "../../domain/kinds.ts";
import { refuse } from "../../domain/refusal.ts";
import type { Wishes } from "./wish.ts";

export type Trigger = (desk: Desk, wishes: Wishes) => object;

export function nothingFor(kind: EventKind, what: string): never {
  return refuse("NOTHING_SUITABLE", { kind, what });
}

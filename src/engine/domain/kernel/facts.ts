// What has happened, as rules report it. A fact names its record; a webhook message reads the rest from that record.

import type { components } from "../../../contract/generated/control.ts";
import type { Instant } from "./instant.ts";

export type FactName = components["schemas"]["FactName"];

export interface Fact {
  fact: FactName;
  /** The record it is about. */
  id: string;
}

/** One thing that a move of the clock did. */
export interface ReceiptLine {
  at: Instant;
  what: "eventCompleted" | "giftCardExpired" | "documentAttached" | "checkoutLapsed" | "deliveryAttempted";
  /** The record it was done to. */
  id: string;
  facts: Fact[];
}

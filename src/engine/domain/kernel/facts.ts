// Defines facts, with which rules report what happened. A fact names its record; a webhook message reads the rest from that
// record.

import type { Schemas } from "../../../contract/schemas.ts";

export type FactName = Schemas["FactName"];

export type Fact = Schemas["Fact"];

/** A response lists at most this many facts, messages or entries of one cause, together with their total number. */
export const MAX_LISTED = 1000;

/** An effect of a clock move. */
export type ReceiptLine = Schemas["ReceiptLine"];

type MoveCounts = Schemas["MoveCounts"];

/** Counts the effects of a clock move. Responses, the log, the console and the terminal show these counts. */
export function countMove(receipt: readonly ReceiptLine[]): MoveCounts {
  const attempts = receipt.filter(({ what }) => what === "deliveryAttempted");
  // A delivery that was attempted twice counts once.
  return { due: receipt.length - attempts.length, deliveries: new Set(attempts.map(({ id }) => id)).size };
}

/** Splits `gift_card.check_in_undone` into the kind of record and what happened to it, in words. */
export function toWords(fact: string): [noun: string, happened: string] {
  const [noun = "", happened = ""] = fact.replaceAll("_", " ").split(".");
  return [noun, happened];
}

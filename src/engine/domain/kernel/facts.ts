// What has happened, as rules report it. A fact names its record; a webhook message reads the rest from that record.

import type { Schemas } from "../../../contract/schemas.ts";

export type FactName = Schemas["FactName"];

export type Fact = Schemas["Fact"];

/** A response lists at most this many facts, messages or entries of one cause, and says how many there are. */
export const MAX_LISTED = 1000;

/** One thing that a move of the clock did. */
export type ReceiptLine = Schemas["ReceiptLine"];

type MoveCounts = Schemas["MoveCounts"];

/** What a move of the clock did: the one count that responses, the log, the console and the terminal show. */
export function countMove(receipt: readonly ReceiptLine[]): MoveCounts {
  const attempts = receipt.filter(({ what }) => what === "deliveryAttempted");
  // A delivery that was attempted twice counts once.
  return { due: receipt.length - attempts.length, deliveries: new Set(attempts.map(({ id }) => id)).size };
}

/** `gift_card.check_in_undone`: of which kind of record it is, and what happened to it, in words. */
export function toWords(fact: string): [noun: string, happened: string] {
  const [noun = "", happened = ""] = fact.replaceAll("_", " ").split(".");
  return [noun, happened];
}

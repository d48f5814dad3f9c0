// The receipt of a clock move, for a person: by day, each line an instant, what came due, whose, and what that did.
import type { Schemas } from "../../client/control.ts";
import { formatMoveCounts } from "../../client/move-counts.ts";
import { counted } from "./facts.ts";
import { fitted, rowsWithin, type Terminal } from "./terminal.ts";

type Moved = Pick<Schemas["ClockMoved"], "now" | "counts" | "receipt"> & Partial<Schemas["Clock"]>;

/**
 * What came due, in words, and the fact that says no more than that. The fact is left out of the line, since the words
 * say it.
 */
const WORDS: Record<Schemas["ReceiptLine"]["what"], readonly [words: string, fact: string]> = {
  eventCompleted: ["event completed", "event.completed"],
  giftCardExpired: ["gift card expired", "gift_card.expired"],
  documentAttached: ["document attached", "journal_entry.document_attached"],
  checkoutLapsed: ["checkout lapsed", "booking.lapsed"],
  deliveryAttempted: ["delivery attempted", ""],
};

export function receiptText(
  { now, mode, counts, receipt }: Moved,
  dryRun: boolean,
  { paint, width }: Pick<Terminal, "paint" | "width">,
): string {
  const rows = rowsWithin(
    receipt.map((line) => rowOf(line, paint)),
    width,
  );
  const lines: string[] = [];
  let day = "";
  receipt.forEach((line, at) => {
    if (dayOf(line.at) !== day)
      lines.push(`${day === "" ? "" : "\n"}${paint("bold", dayOf(line.at))} ${paint("dim", "UTC")}`);
    day = dayOf(line.at);
    lines.push(...(rows[at] ?? []));
  });
  const clock = `${dryRun ? "It would be" : "It is"} ${paint("cyan", now)}${mode ? `, ${mode}` : ""}`;
  const sentence = `${clock}: ${formatMoveCounts(counts)}.`;
  return [...lines, ...(lines.length > 0 ? [""] : []), fitted(sentence, width)].join("\n");
}

function rowOf({ at, what, id, facts }: Schemas["ReceiptLine"], paint: Terminal["paint"]): string[] {
  const [words, obvious] = WORDS[what];
  return [`  ${paint("dim", at.slice(11, 19))}`, words, paint("cyan", id), paint("dim", counted(facts, obvious))];
}

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

function dayOf(at: string): string {
  return `${WEEKDAYS[new Date(at).getUTCDay()]} ${at.slice(0, 10)}`;
}

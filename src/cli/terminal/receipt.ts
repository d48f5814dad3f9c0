// Formats the summary of a clock move: by day, what became due, on which record, and what that changed.
import type { Schemas } from "../../client/control.ts";
import { formatMoveCounts } from "../../client/move-counts.ts";
import { formatFacts } from "./facts.ts";
import { fitRows, fitText, type Terminal } from "./terminal.ts";

type Moved = Pick<Schemas["ClockMoved"], "now" | "counts" | "receipt"> & Partial<Schemas["Clock"]>;

/** The label of each kind of due work, and the fact that the line omits because it repeats the label. */
const WORDS: Record<Schemas["ReceiptLine"]["what"], readonly [words: string, fact: string]> = {
  eventCompleted: ["event completed", "event.completed"],
  giftCardExpired: ["gift card expired", "gift_card.expired"],
  documentAttached: ["document attached", "journal_entry.document_attached"],
  checkoutLapsed: ["checkout lapsed", "booking.lapsed"],
  deliveryAttempted: ["delivery attempted", ""],
};

export function formatReceipt(
  { now, mode, counts, receipt }: Moved,
  dryRun: boolean,
  { paint, width }: Pick<Terminal, "paint" | "width">,
): string {
  const rows = fitRows(
    receipt.map((line) => toReceiptRow(line, paint)),
    width,
  );
  const lines: string[] = [];
  let day = "";
  receipt.forEach((line, at) => {
    if (formatDay(line.at) !== day)
      lines.push(`${day === "" ? "" : "\n"}${paint("bold", formatDay(line.at))} ${paint("dim", "UTC")}`);
    day = formatDay(line.at);
    lines.push(...(rows[at] ?? []));
  });
  const clock = `${dryRun ? "It would be" : "It is"} ${paint("cyan", now)}${mode ? `, ${mode}` : ""}`;
  const sentence = `${clock}: ${formatMoveCounts(counts)}.`;
  return [...lines, ...(lines.length > 0 ? [""] : []), fitText(sentence, width)].join("\n");
}

function toReceiptRow({ at, what, id, facts }: Schemas["ReceiptLine"], paint: Terminal["paint"]): string[] {
  const [words, obvious] = WORDS[what];
  return [`  ${paint("dim", at.slice(11, 19))}`, words, paint("cyan", id), paint("dim", formatFacts(facts, obvious))];
}

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

function formatDay(at: string): string {
  return `${WEEKDAYS[new Date(at).getUTCDay()]} ${at.slice(0, 10)}`;
}

// Formats facts (what happened in a world) as counts, the result of an act or a trigger, and the summary of a clock move.
import type { Schemas } from "../../client/control.ts";
import { formatMoveCounts } from "../../client/move-counts.ts";
import { toWords } from "../../engine/domain/index.ts";
import { formatAmount, isAmount } from "../../platform/amount-text.ts";
import { count } from "../../platform/count.ts";
import { escapeText, formatInstant, type Look } from "./line.ts";
import { formatColumns } from "./terminal.ts";

type Facts = Schemas["Facts"];

/** Returns the ids of each kind of fact, in the order of the facts. */
function groupByFact(facts: Facts): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { fact, id } of facts) {
    const ids = found.get(fact);
    if (ids) ids.push(id);
    else found.set(fact, [id]);
  }
  return found;
}

/** Formats facts as `2 journal entries created, 1 order updated`. Facts of the kind `obvious` are omitted. */
function formatFacts(facts: Facts, obvious = ""): string {
  const counts = [...groupByFact(facts)].filter(([fact]) => fact !== obvious);
  return counts
    .map(([fact, ids]) => {
      const [thing, happened] = toWords(fact);
      return `${count(ids.length, thing, toPlural(thing))} ${happened}`;
    })
    .join(", ");
}

/** Formats facts as `booking.cancelled bkg-evening, 1 order updated`: the first with its id, the others as counts. */
export function describeFacts(facts: Facts): string {
  const [first] = facts;
  if (!first) return "";
  if (facts.slice(1).some(({ fact }) => fact === first.fact)) return formatFacts(facts);
  return [`${first.fact} ${first.id}`, formatFacts(facts.slice(1))].filter(Boolean).join(", ");
}

// All nouns of the service have regular plurals.
const toPlural = (thing: string): string => (thing.endsWith("y") ? `${thing.slice(0, -1)}ies` : `${thing}s`);

/** Formats the result of an act or a trigger: its facts, and the fields of the record that it created or changed. */
export function formatOutcome(
  what: string,
  { result, facts, fact_count }: Schemas["ActAnswer"],
  { paint }: Look,
): string {
  const factRows = [...groupByFact(facts)].map(([fact, ids]) => [
    `  ${paint("green", fact)}`,
    ids.length === 1 ? escapeText(ids[0] ?? "") : paint("dim", `${ids.length} times`),
  ]);
  if (fact_count > facts.length) factRows.push([`  and ${fact_count - facts.length} more`]);
  const members = Object.entries(result ?? {}).map(([name, value]) => [`  ${paint("dim", name)}`, formatField(value)]);
  const head = facts.length === 0 ? `${what}: done. Nothing changed.` : `${what}: done.`;
  const lines = [...formatColumns(factRows), ...(members.length > 0 ? ["", ...formatColumns(members)] : [])];
  return [head, ...lines].join("\n");
}

/** Formats a field in one line. Nested objects are omitted, because `--json` shows them. */
function formatField(value: unknown): string {
  if (Array.isArray(value)) return value.every(isPlain) ? escapeText(value.join(", ")) : count(value.length, "item");
  if (typeof value !== "object" || value === null) return escapeText(String(value));
  if (isAmount(value)) return formatAmount(value);
  const members = Object.entries(value).filter(([, member]) => isPlain(member));
  return members.map(([name, member]) => `${name} ${escapeText(String(member))}`).join(", ");
}

const isPlain = (value: unknown): boolean => typeof value !== "object" || value === null;

type Moved = Pick<Schemas["ClockMoved"], "now" | "counts" | "receipt"> & Partial<Schemas["Clock"]>;

/** The label of each kind of due work, and the fact that the line omits because it repeats the label. */
const DUE_WORK: Record<Schemas["ReceiptLine"]["what"], readonly [words: string, fact: string]> = {
  eventCompleted: ["event completed", "event.completed"],
  giftCardExpired: ["gift card expired", "gift_card.expired"],
  documentAttached: ["document attached", "journal_entry.document_attached"],
  checkoutLapsed: ["checkout lapsed", "booking.lapsed"],
  deliveryAttempted: ["delivery attempted", ""],
};

/** Formats the summary of a clock move: what became due, on which record, and what that changed. */
export function formatReceipt({ now, mode, counts, receipt }: Moved, dryRun: boolean, { paint }: Look): string {
  const rows = receipt.map(({ at, what, id, facts }) => {
    const [words, obvious] = DUE_WORK[what];
    return [paint("dim", formatInstant(at)), words, paint("cyan", id), paint("dim", formatFacts(facts, obvious))];
  });
  const clock = `${dryRun ? "It would be" : "It is"} ${paint("cyan", now)}${mode ? `, ${mode}` : ""}`;
  return [...formatColumns(rows), `${clock}: ${formatMoveCounts(counts)}.`].join("\n");
}

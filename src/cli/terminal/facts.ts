// Formats facts (what happened in a world) as counts, and the result of an act or a trigger.
import type { Schemas } from "../../client/control.ts";
import { toWords } from "../../engine/domain/index.ts";
import { formatAmount } from "../../platform/amount-text.ts";
import { count } from "../../platform/count.ts";
import { escapeText } from "./line.ts";
import { cut, formatColumns, type Terminal } from "./terminal.ts";

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
export const formatFacts = (facts: Facts, obvious = ""): string =>
  [...groupByFact(facts)]
    .filter(([fact]) => fact !== obvious)
    .map(([fact, ids]) => formatFactCount(fact, ids.length))
    .join(", ");

function formatFactCount(fact: string, number: number): string {
  const [thing, happened] = toWords(fact);
  return `${count(number, thing, toPlural(thing))} ${happened}`;
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

/**
 * Formats the result of an act or a trigger: its facts, and the fields of the record that it created or changed. `what`
 * names the act or the event type. A fact that occurred once is shown with its id.
 */
export function formatOutcome(
  what: string,
  { result, facts, fact_count }: Schemas["ActAnswer"],
  { paint, width }: Pick<Terminal, "paint" | "width">,
): string {
  const factRows = [...groupByFact(facts)].map(([fact, ids]) => [
    `  ${paint("green", fact)}`,
    ids.length === 1 ? escapeText(ids[0] ?? "") : paint("dim", `${ids.length} times`),
  ]);
  if (fact_count > facts.length) factRows.push([`  and ${fact_count - facts.length} more`]);
  const members = Object.entries(result ?? {}).map(([name, value]) => [`  ${paint("dim", name)}`, formatField(value)]);
  const head = facts.length === 0 ? `${what}: done. Nothing changed.` : `${what}: done.`;
  const lines = [...formatColumns(factRows), ...(members.length > 0 ? ["", ...formatColumns(members)] : [])];
  return [head, ...lines.map((line) => cut(line, width))].join("\n");
}

/** Formats a field in one line. Nested objects are omitted, because `--json` shows them. */
function formatField(value: unknown): string {
  if (Array.isArray(value)) return value.every(isPlain) ? value.join(", ") : count(value.length, "item");
  if (typeof value !== "object" || value === null) return escapeText(String(value));
  // The result has no schema here, so an amount is recognized by its fields.
  const { currency, value: amount, exponent } = value as Record<string, unknown>;
  if (typeof currency === "string" && Number.isInteger(amount) && Number.isInteger(exponent))
    return formatAmount(value as Parameters<typeof formatAmount>[0]);
  return Object.entries(value)
    .filter(([, member]) => isPlain(member))
    .map(([name, member]) => `${name} ${escapeText(String(member))}`)
    .join(", ");
}

const isPlain = (value: unknown): boolean => typeof value !== "object" || value === null;

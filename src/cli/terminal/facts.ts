// Formats what happened in a world: facts, the result of an act, the summary of a clock move, changes, and the differences between two
// points in time.
import type { Schemas } from "../../client/control.ts";
import { formatMoveCounts } from "../../client/move-counts.ts";
import { BEGAN, toWords } from "../../engine/domain/index.ts";
import { count } from "../../platform/count.ts";
import { type Detail, escapeText, formatCell, formatFields, formatInstant, type Look } from "./line.ts";
import { formatColumns, type Style } from "./terminal.ts";

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

/** Formats facts as `2 journal entries created, 1 order updated`. */
function formatFacts(facts: Facts): string {
  const counts = [...groupByFact(facts)].map(([fact, ids]) => {
    const [thing, happened] = toWords(fact);
    return `${count(ids.length, thing, toPlural(thing))} ${happened}`;
  });
  return counts.join(", ");
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
export function formatOutcome(what: string, { result, facts, fact_count }: Schemas["ActAnswer"], look: Look): string {
  const { paint } = look;
  const factRows = [...groupByFact(facts)].map(([fact, ids]) => [
    `  ${paint("green", fact)}`,
    ids.length === 1 ? escapeText(ids[0] ?? "") : paint("dim", `${ids.length} times`),
  ]);
  if (fact_count > facts.length) factRows.push([`  and ${fact_count - facts.length} more`]);
  const fields = formatFields(
    Object.entries(result ?? {}).map(([name, value]) => [name, formatCell(value)]),
    look,
    { full: false },
  );
  const head = facts.length === 0 ? `${what}: done. Nothing changed.` : `${what}: done.`;
  return [head, ...formatColumns(factRows), ...(fields.length > 0 ? ["", ...fields] : [])].join("\n");
}

type Moved = Pick<Schemas["ClockMoved"], "now" | "counts" | "receipt"> & Partial<Schemas["Clock"]>;

/** Formats the summary of a clock move: what became due, on which record, and what that changed in other records. */
export function formatReceipt({ now, mode, counts, receipt }: Moved, dryRun: boolean, { paint }: Look): string {
  const rows = receipt.map(({ at, what, id, facts }) => {
    const others = facts.filter((fact) => fact.id !== id);
    // `eventCompleted` becomes `event completed`.
    const words = what.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    return [paint("dim", formatInstant(at)), words, paint("cyan", id), paint("dim", formatFacts(others))];
  });
  const clock = `${dryRun ? "It would be" : "It is"} ${paint("cyan", now)}${mode ? `, ${mode}` : ""}`;
  return [...formatColumns(rows), `${clock}: ${formatMoveCounts(counts)}.`].join("\n");
}

export const formatPoint = ({ seq, at }: Pick<Schemas["Moment"], "seq" | "at">): string =>
  `${seq} (${formatInstant(at)})`;

/** `12  2030-06-01 09:00:05  booking.created Anna Holm · 2030-06-01 18:00 · Canal tour, 2 more records  req-ab12cd-3`. */
export function formatCommits(commits: readonly Schemas["Commit"][], { paint }: Look): string[] {
  return formatColumns(
    commits.map((commit) => [
      paint("bold", String(commit.seq)),
      paint("dim", formatInstant(commit.at)),
      `${escapeText(summarizeCommit(commit))}  ${paint("dim", escapeText(commit.cause.id))}`,
    ]),
  );
}

/** Summarizes a change by its booking, if there is one, because orders and entries follow from bookings. */
function summarizeCommit({ facts, changes }: Schemas["Commit"]): string {
  const fact = facts.find((each) => each.fact.startsWith("booking.")) ?? facts[0];
  const subject = changes.find(({ id }) => id === fact?.id) ?? changes.find(({ title }) => title) ?? changes[0];
  if (subject === undefined) return fact ? `${fact.fact} ${fact.id}` : "nothing changed";
  const { collection, id, title, change } = subject;
  const what = fact?.id === id ? fact.fact : `${collection} ${change}`;
  const rest = changes.length > 1 ? `, ${count(changes.length - 1, "more record")}` : "";
  return `${what}${id === collection ? "" : ` ${title ?? id}`}${rest}`;
}

export function describeRetained({ commits, from, began, dropped }: Schemas["Kept"]): string {
  const since = `${count(commits, "change")} kept, since ${formatPoint(from)}`;
  return dropped === 0
    ? `${since}, when ${BEGAN[began.why]}.`
    : `${since}; ${count(dropped, "earlier entry is", "earlier entries are")} no longer kept.`;
}

const SIGNS: Record<Schemas["Change"], readonly [sign: string, style: Style]> = {
  created: ["+", "green"],
  updated: ["~", "yellow"],
  removed: ["-", "red"],
};

export function formatDiff(changes: readonly Schemas["RecordDiff"][], look: Look, size: Detail): string[] {
  return changes.flatMap(({ collection, id, title, change, members }) => {
    const [sign, style] = SIGNS[change];
    const name = id === collection ? id : `${collection} ${escapeText(id)}${title ? `: ${escapeText(title)}` : ""}`;
    return [look.paint(style, `${sign} ${name}`), ...formatFields(members.flatMap(toFields), look, size)];
  });
}

/** Formats a field as `status  ACTIVE → CANCELLED`. A created or removed record has one value per field. */
function toFields({ path, before, after }: Schemas["Member"]): [path: string, value: string][] {
  if (path !== "") return [[path, `${formatValue(before)} → ${formatValue(after)}`]];
  return Object.entries((after ?? before ?? {}) as object).map(([name, value]) => [name, formatValue(value)]);
}

const formatValue = (value: unknown): string =>
  escapeText(typeof value === "string" ? value : (JSON.stringify(value) ?? "—"));

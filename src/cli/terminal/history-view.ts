// Formats the history of a world: one line per change, and the differences between two points in time.
import type { Schemas } from "../../client/control.ts";
import { BEGAN } from "../../engine/domain/index.ts";
import { count } from "../../platform/count.ts";
import { type Detail, MAX_LINE_WIDTH } from "./document-lines.ts";
import { escapeText, formatInstant, type Look } from "./line.ts";
import { cut, formatColumns, type Style } from "./terminal.ts";

type Commit = Schemas["Commit"];

export const formatPoint = ({ seq, at }: Pick<Schemas["Moment"], "seq" | "at">): string =>
  `${seq} (${formatInstant(at)})`;

/** `12  2030-06-01 09:00:05  booking.created Anna Holm · 2030-06-01 18:00 · Canal tour, 2 more records  req-ab12cd-3`. */
export function formatCommits(commits: readonly Commit[], { paint }: Look): string[] {
  return formatColumns(
    commits.map((commit) => [
      paint("bold", String(commit.seq)),
      paint("dim", formatInstant(commit.at)),
      `${escapeText(summarize(commit))}  ${paint("dim", escapeText(commit.cause.id))}`,
    ]),
  );
}

/** Summarizes a change by its booking, if there is one, because orders and entries follow from bookings. */
function summarize({ facts, changes }: Commit): string {
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

export function formatDiff(changes: readonly Schemas["RecordDiff"][], look: Look, { full }: Detail): string[] {
  return changes.flatMap(({ collection, id, title, change, members }) => {
    const [sign, style] = SIGNS[change];
    const name = id === collection ? id : `${collection} ${escapeText(id)}${title ? `: ${escapeText(title)}` : ""}`;
    const rows = members.flatMap(toRows).map(([path, value]) => [`    ${look.paint("dim", escapeText(path))}`, value]);
    const fields = formatColumns(rows).map((line) => (full ? line : cut(line, MAX_LINE_WIDTH)));
    return [look.paint(style, `${sign} ${name}`), ...fields];
  });
}

/** Formats a field as `status  ACTIVE → CANCELLED`. A created or removed record has one value per field. */
function toRows({ path, before, after }: Schemas["Member"]): [path: string, value: string][] {
  if (path !== "") return [[path, `${formatValue(before)} → ${formatValue(after)}`]];
  return Object.entries((after ?? before ?? {}) as object).map(([name, value]) => [name, formatValue(value)]);
}

const formatValue = (value: unknown): string =>
  escapeText(typeof value === "string" ? value : (JSON.stringify(value) ?? "—"));

// Formats the history of a world: one line per change, and the differences between two points in time.

import type { Schemas } from "../../client/control.ts";
import { BEGAN } from "../../engine/domain/index.ts";
import { count } from "../../platform/count.ts";
import type { Detail } from "./document-lines.ts";
import { createDayBreaks, escapeText, formatTime, type Look } from "./line.ts";
import { cut, formatColumns, type Style } from "./terminal.ts";

type Commit = Schemas["Commit"];
type MemberChange = Schemas["Member"];
type Retained = Schemas["Kept"];

/** `2030-06-01 09:00:00`. */
const formatInstant = (instant: string): string => instant.slice(0, 19).replace("T", " ");

export const formatPoint = ({ seq, at }: Pick<Schemas["Moment"], "seq" | "at">): string =>
  `${seq} (${formatInstant(at)})`;

/** `12  09:00:05Z  booking created: Anna Holm · 2030-06-01 18:00 · Canal tour  req-ab12cd-3`, below the day. */
export function formatCommits(commits: readonly Commit[], look: Look): string[] {
  const { paint, width } = look;
  const seqWidth = Math.max(...commits.map(({ seq }) => String(seq).length));
  const formatDayBreak = createDayBreaks(look);
  return commits.flatMap((commit) => {
    const { seq, at, cause } = commit;
    const head = `${paint("bold", String(seq).padStart(seqWidth))}  ${paint("dim", formatTime(at))}`;
    const room = width - seqWidth - 2 - formatTime(at).length - 2 - cause.id.length - 2;
    const summary = cut(escapeText(summarize(commit)), Math.max(MIN_WIDTH, room));
    return [...formatDayBreak({ at }), cut(`${head}  ${summary}  ${paint("dim", escapeText(cause.id))}`, width)];
  });
}

/** Summarizes a change by its booking, if there is one, because orders and entries follow from bookings. */
function summarize({ facts, changes }: Commit): string {
  const fact = facts.find((each) => each.fact.startsWith("booking.")) ?? facts[0];
  const subject = changes.find(({ id }) => id === fact?.id) ?? changes.find(({ title }) => title) ?? changes[0];
  if (subject === undefined) return fact ? `${fact.fact} ${fact.id}` : "nothing changed";
  const { collection, id, title, change } = subject;
  const what = fact?.id === id ? fact.fact : `${change} ${toSingular(collection)}`;
  const rest = changes.length > 1 ? `, ${count(changes.length - 1, "more record")}` : "";
  return `${what}${id === collection ? "" : ` ${title ?? id}`}${rest}`;
}

/** `giftCards` → `gift card`. */
const toSingular = (collection: string): string =>
  collection
    .replace(/([A-Z])/g, " $1")
    .toLowerCase()
    .replace(/ies$/, "y")
    .replace(/s$/, "");

export function describeRetained({ commits, from, began, dropped }: Retained): string {
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
    return [look.paint(style, `${sign} ${name}`), ...formatFields(members, look, size)];
  });
}

const MIN_WIDTH = 20;

/** Formats fields as `status  ACTIVE → CANCELLED`. A created or removed record has one value per field. */
function formatFields(members: readonly MemberChange[], { paint, width }: Look, { full }: Detail): string[] {
  const rows = members.flatMap(toHistoryRows).map(([path, before, after]): [string, string] => {
    const [was, is] = [before, after].map((value) => (value === undefined ? undefined : formatRecordValue(value)));
    return [
      `    ${paint("dim", escapeText(path))}`,
      was === undefined || is === undefined ? (is ?? was ?? "") : `${was} → ${is}`,
    ];
  });
  return formatColumns(rows).map((line) => (full ? line : cut(line, Math.max(MIN_WIDTH, Math.min(width, MAX_WIDTH)))));
}

const MAX_WIDTH = 200;

type HistoryRow = readonly [path: string, before: unknown, after: unknown];

function toHistoryRows({ path, before, after }: MemberChange): HistoryRow[] {
  // An empty path means that the record was created or removed.
  if (path !== "") return [[path, before === undefined ? "—" : before, after === undefined ? "—" : after]];
  return Object.entries((after ?? before ?? {}) as object).map(([name, value]): HistoryRow => [name, undefined, value]);
}

const formatRecordValue = (value: unknown): string =>
  escapeText(typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

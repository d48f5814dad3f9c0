// The past of a world for a person: a line a change, and what differs between two points in time.

import type { Schemas } from "../../client/control.ts";
import { BEGAN } from "../../engine/domain/index.ts";
import { count } from "../../platform/count.ts";
import type { Size } from "./document-lines.ts";
import { dayBreaks, type Look, plain, timeOf } from "./line.ts";
import { columns, cut, type Style } from "./terminal.ts";

type Commit = Schemas["Commit"];
type MemberChange = Schemas["Member"];
type Retained = Schemas["Kept"];

/** `2030-06-01 09:00:00`. */
const instantText = (instant: string): string => instant.slice(0, 19).replace("T", " ");

export const momentText = ({ seq, at }: Pick<Schemas["Moment"], "seq" | "at">): string => `${seq} (${instantText(at)})`;

/** `12  09:00:05Z  booking created: Anna Holm · 2030-06-01 18:00 · Canal tour  req-ab12cd-3`, below the day. */
export function commitLines(commits: readonly Commit[], look: Look): string[] {
  const { paint, width } = look;
  const seqWidth = Math.max(...commits.map(({ seq }) => String(seq).length));
  const formatDayBreak = dayBreaks(look);
  return commits.flatMap((commit) => {
    const { seq, at, cause } = commit;
    const head = `${paint("bold", String(seq).padStart(seqWidth))}  ${paint("dim", timeOf(at))}`;
    const room = width - seqWidth - 2 - timeOf(at).length - 2 - cause.id.length - 2;
    const summary = cut(plain(summarize(commit)), Math.max(NARROWEST, room));
    return [...formatDayBreak({ at }), cut(`${head}  ${summary}  ${paint("dim", plain(cause.id))}`, width)];
  });
}

/** A booking comes first, since an order and its entries follow from it. */
function summarize({ facts, changes }: Commit): string {
  const fact = facts.find((each) => each.fact.startsWith("booking.")) ?? facts[0];
  const subject = changes.find(({ id }) => id === fact?.id) ?? changes.find(({ title }) => title) ?? changes[0];
  if (subject === undefined) return fact ? `${fact.fact} ${fact.id}` : "nothing changed";
  const { collection, id, title, change } = subject;
  const what = fact?.id === id ? fact.fact : `${change} ${nameOne(collection)}`;
  const rest = changes.length > 1 ? `, ${count(changes.length - 1, "more record")}` : "";
  return `${what}${id === collection ? "" : ` ${title ?? id}`}${rest}`;
}

/** `giftCards` → `gift card`. */
const nameOne = (collection: string): string =>
  collection
    .replace(/([A-Z])/g, " $1")
    .toLowerCase()
    .replace(/ies$/, "y")
    .replace(/s$/, "");

export function retainedLine({ commits, from, began, dropped }: Retained): string {
  const since = `${count(commits, "change")} kept, since ${momentText(from)}`;
  return dropped === 0
    ? `${since}, when ${BEGAN[began.why]}.`
    : `${since}; ${count(dropped, "earlier entry is", "earlier entries are")} no longer kept.`;
}

// As a diff marks them.
const SIGNS: Record<Schemas["Change"], readonly [sign: string, style: Style]> = {
  created: ["+", "green"],
  updated: ["~", "yellow"],
  removed: ["-", "red"],
};

export function diffLines(changes: readonly Schemas["RecordDiff"][], look: Look, size: Size): string[] {
  return changes.flatMap(({ collection, id, title, change, members }) => {
    const [sign, style] = SIGNS[change];
    const name = id === collection ? id : `${collection} ${plain(id)}${title ? `: ${plain(title)}` : ""}`;
    return [look.paint(style, `${sign} ${name}`), ...memberLines(members, look, size)];
  });
}

const NARROWEST = 20;

/** `    status  ACTIVE → CANCELLED`; of a record that came or went, its members on one side. */
function memberLines(members: readonly MemberChange[], { paint, width }: Look, { full }: Size): string[] {
  // Before and after on one line; a record that is new has only one side.
  const rows = members.flatMap(rowsOf).map(([path, before, after]): [string, string] => {
    const [was, is] = [before, after].map((value) => (value === undefined ? undefined : textOf(value)));
    return [
      `    ${paint("dim", plain(path))}`,
      was === undefined || is === undefined ? (is ?? was ?? "") : `${was} → ${is}`,
    ];
  });
  return columns(rows.map(([path, text]) => [path, text])).map((line) =>
    full ? line : cut(line, Math.max(NARROWEST, Math.min(width, LONGEST))),
  );
}

const LONGEST = 200;

type HistoryRow = readonly [path: string, before: unknown, after: unknown];

function rowsOf({ path, before, after }: MemberChange): HistoryRow[] {
  // An empty path is the record as a whole.
  if (path !== "") return [[path, before === undefined ? "—" : before, after === undefined ? "—" : after]];
  return Object.entries((after ?? before ?? {}) as object).map(([name, value]): HistoryRow => [name, undefined, value]);
}

const textOf = (value: unknown): string => plain(typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

// The past of a world for a person: a line a change, the versions of a record, what differs between two moments.

import type { Schemas } from "../../client/control.ts";
import { BEGAN } from "../../engine/domain/kernel/beginnings.ts";
import { count } from "../../platform/count.ts";
import type { Size } from "./document-lines.ts";
import { brief } from "./facts.ts";
import type { Look } from "./line.ts";
import { plain } from "./line.ts";
import { columns, cut, type Style } from "./terminal.ts";

type Commit = Schemas["Commit"];
type MemberChange = Schemas["Member"];
type Retained = Schemas["Kept"];

/** `2030-06-01 09:00:00`. */
const timeOf = (instant: string): string => instant.slice(0, 19).replace("T", " ");

export const momentText = ({ seq, at }: Pick<Schemas["Moment"], "seq" | "at">): string => `${seq} (${timeOf(at)})`;

/** `12  2030-06-01 09:00:00  req-ab12cd-3  booking.created bkg-1, …`. */
export function commitLines(commits: readonly Commit[], { paint, width }: Look): string[] {
  const rows = commits.map((commit) => [
    paint("bold", String(commit.seq)),
    paint("dim", timeOf(commit.at)),
    plain(commit.cause.id),
    plain(summaryOf(commit)),
  ]);
  return columns(rows).map((line) => cut(line, width));
}

/** Facts say what happened; a change without any names its records. */
function summaryOf({ facts, changes }: Commit): string {
  if (facts.length > 0) return brief(facts);
  const named = changes.map(
    ({ collection, id, change }) => `${collection} ${id === collection ? "" : `${id} `}${change}`,
  );
  // As a rewind counts what it puts back: the clock goes by its own rule.
  const records = changes.filter(({ collection }) => collection !== "clock").length;
  return named.length > 3 ? `${count(records, "record")} changed` : named.join(", ");
}

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

export function versionLines(
  { collection, id, items, kept }: Schemas["RecordHistory"],
  look: Look,
  size: Size,
): string[] {
  const { paint } = look;
  const title = paint("bold", id === collection ? id : `${collection} ${plain(id)}`);
  if (items.length === 0) return [title, `  It has not changed since ${momentText(kept.from)}.`];
  const heads = columns(
    items.map(({ seq, at, cause, change }) => {
      const [sign, style] = SIGNS[change];
      return [
        paint(style, sign),
        paint("bold", String(seq)),
        paint("dim", timeOf(at)),
        change,
        `by ${plain(cause.id)}`,
      ];
    }),
  );
  return [title, ...items.flatMap(({ members }, at) => [heads[at] ?? "", ...memberLines(members, look, size)])];
}

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

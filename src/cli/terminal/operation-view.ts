// An operation of the public API for a person: a line in the list; as a whole with its members and a call that works.

import { quote } from "../../platform/shell-quoted.ts";
import type { PublicOperation } from "../public-operations.ts";
import { memberNames, memberRows } from "./input-view.ts";
import { columns, cut, fitted, type Terminal, wrap } from "./terminal.ts";

const WIDE = 140;

/** What must be given stands behind the path, or below it on a narrow terminal. */
export function inBrief(operations: readonly PublicOperation[], { paint, width }: Terminal): string[] {
  const rows = operations.map(({ id, method, path, members }) => {
    const must = memberNames(members.filter(({ required }) => required)).join(" ");
    return { id: paint("bold", id), method, path, must };
  });
  if (width >= WIDE)
    return columns(rows.map(({ id, method, path, must }) => [id, `${method.padEnd(6)} ${path}`, paint("dim", must)]));
  return rows.flatMap(({ id, method, path, must }) => {
    const below = [
      cut(`${method} ${path}`, width - 4),
      ...(must ? wrap(must, width - 4).map((line) => paint("dim", line)) : []),
    ];
    return [id, ...below.map((line) => `    ${line}`)];
  });
}

export function inFull(
  { id, method, path, summary, description, scopes, members, example }: PublicOperation,
  terminal: Terminal,
): string {
  const { paint, width } = terminal;
  // Only a blank line ends a paragraph.
  const about = description
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replace(/\s+/g, " ").trim())
    .filter(Boolean)
    .flatMap((paragraph) => wrap(paragraph, Math.min(width, 100)));
  const sets = Object.entries(example);
  // Short inputs are easier to type as --set.
  const isFlat = sets.length <= 2 && sets.every(([, value]) => typeof value === "string");
  const words = isFlat
    ? sets.map(([name, value]) => ` --set ${name}=${value}`).join("")
    : ` --data ${quote(JSON.stringify(example))}`;
  return [
    fitted(`${paint("bold", id)}  ${method} ${path}`, width),
    summary,
    ...about,
    ...(scopes.length > 0 ? [paint("dim", `Scopes: ${scopes.join(", ")}`)] : []),
    "",
    ...memberRows(members, terminal),
    ...(members.length > 0 ? [""] : []),
    `  sandbox call ${id}${words}`,
  ].join("\n");
}

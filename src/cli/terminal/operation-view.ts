// Formats operations of the public API: as a list, and one in full with its fields and an example request.

import { quote } from "../../platform/shell-quoted.ts";
import type { PublicOperation } from "../public-operations.ts";
import { formatMembers, listNames } from "./input-view.ts";
import { cut, fitText, formatColumns, type Terminal, wrap } from "./terminal.ts";

const MIN_WIDE = 140;

/** Formats one operation per line with its required fields; a narrow terminal has them on the next line. */
export function formatOperationList(operations: readonly PublicOperation[], { paint, width }: Terminal): string[] {
  const rows = operations.map(({ id, method, path, members }) => {
    const fields = listNames(members.filter(({ required }) => required)).join(" ");
    return { id: paint("bold", id), method, path, fields };
  });
  if (width >= MIN_WIDE)
    return formatColumns(rows.map((row) => [row.id, `${row.method.padEnd(6)} ${row.path}`, paint("dim", row.fields)]));
  return rows.flatMap(({ id, method, path, fields }) => {
    const below = [
      cut(`${method} ${path}`, width - 4),
      ...(fields ? wrap(fields, width - 4).map((line) => paint("dim", line)) : []),
    ];
    return [id, ...below.map((line) => `    ${line}`)];
  });
}

export function formatOperation(
  { id, method, path, summary, description, scopes, members, example }: PublicOperation,
  terminal: Terminal,
): string {
  const { paint, width } = terminal;
  // Paragraphs are separated by blank lines; other line breaks are not kept.
  const about = description
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replace(/\s+/g, " ").trim())
    .filter(Boolean)
    .flatMap((paragraph) => wrap(paragraph, Math.min(width, 100)));
  const sets = Object.entries(example);
  // Few, short values are easier to type with --set.
  const isFlat = sets.length <= 2 && sets.every(([, value]) => typeof value === "string");
  const words = isFlat
    ? sets.map(([name, value]) => ` --set ${name}=${value}`).join("")
    : ` --data ${quote(JSON.stringify(example))}`;
  return [
    fitText(`${paint("bold", id)}  ${method} ${path}`, width),
    summary,
    ...about,
    ...(scopes.length > 0 ? [paint("dim", `Scopes: ${scopes.join(", ")}`)] : []),
    "",
    ...formatMembers(members, terminal),
    ...(members.length > 0 ? [""] : []),
    `  sandbox call ${id}${words}`,
  ].join("\n");
}

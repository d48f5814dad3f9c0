// Formats operations of the public API: as a list, and one in full with its fields and an example request.
import { quote } from "../../platform/shell-quoted.ts";
import type { PublicOperation } from "../public-api.ts";
import { formatMembers, listNames } from "./input-view.ts";
import type { Look } from "./line.ts";
import { formatColumns } from "./terminal.ts";

/** Formats one operation per line with its required fields. */
export const formatOperationList = (operations: readonly PublicOperation[], { paint }: Look): string[] =>
  formatColumns(
    operations.map(({ id, method, path, members }) => [
      paint("bold", id),
      `${method.padEnd(6)} ${path}`,
      paint("dim", listNames(members.filter(({ required }) => required)).join(" ")),
    ]),
  );

export function formatOperation(operation: PublicOperation, look: Look): string {
  const { id, method, path, summary, description, scopes, members, example } = operation;
  // Paragraphs are separated by blank lines; other line breaks are not kept.
  const about = description.split(/\n{2,}/).map((paragraph) => paragraph.replace(/\s+/g, " ").trim());
  const sets = Object.entries(example);
  // Few, short values are easier to type with --set.
  const isFlat = sets.length <= 2 && sets.every(([, value]) => typeof value === "string");
  const words = isFlat
    ? sets.map(([name, value]) => ` --set ${name}=${value}`).join("")
    : ` --data ${quote(JSON.stringify(example))}`;
  return [
    `${look.paint("bold", id)}  ${method} ${path}`,
    summary,
    ...about.filter(Boolean),
    ...(scopes.length > 0 ? [look.paint("dim", `Scopes: ${scopes.join(", ")}`)] : []),
    "",
    ...formatMembers(members, look),
    ...(members.length > 0 ? [""] : []),
    `  sandbox call ${id}${words}`,
  ].join("\n");
}

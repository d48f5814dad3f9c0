// An operation of the public API for a person: a line in the list; as a whole with its members and a call that works.
import type { PublicOperation } from "../public-operations.ts";
import { quoted } from "./connection-info.ts";
import { memberNames, memberRows } from "./input-shown.ts";
import { type Terminal, wrap } from "./terminal.ts";

export function inBrief({ id, method, path, members }: PublicOperation, { paint }: Terminal): string[] {
  const must = members.filter(({ required }) => required);
  return [paint("bold", id), `${method.padEnd(6)} ${path}`, paint("dim", memberNames(must).join(" "))];
}

export function inFull(
  { id, method, path, summary, description, scopes, members, example }: PublicOperation,
  terminal: Terminal,
): string {
  const { paint, width } = terminal;
  const about = description
    .split(/\n+/)
    .filter(Boolean)
    .flatMap((line) => wrap(line, Math.min(width, 100)));
  const sets = Object.entries(example);
  const isFlat = sets.length <= 2 && sets.every(([, value]) => typeof value === "string");
  const words = isFlat
    ? sets.map(([name, value]) => ` --set ${name}=${value}`).join("")
    : ` --data ${quoted(JSON.stringify(example))}`;
  return [
    `${paint("bold", id)}  ${method} ${path}`,
    summary,
    ...about,
    ...(scopes.length > 0 ? [paint("dim", `Scopes: ${scopes.join(", ")}`)] : []),
    "",
    ...memberRows(members, terminal),
    ...(members.length > 0 ? [""] : []),
    `  sandbox call ${id}${words}`,
  ].join("\n");
}

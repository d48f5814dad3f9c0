// The result of an act or a trigger, for a person: each fact, and the members of the record that was made or changed.
import type { Schemas } from "../../client/control.ts";
import { columns, cut, type Terminal } from "./terminal.ts";

export function outcome(
  what: string,
  { result, facts }: Schemas["ActAnswer"],
  { paint, width }: Pick<Terminal, "paint" | "width">,
): string {
  const happened = facts.map(({ fact, id }) => [`  ${paint("green", fact)}`, id]);
  const members = Object.entries(result ?? {}).map(([name, value]) => [
    `  ${paint("dim", name)}`,
    shownAs(value, width - 26),
  ]);
  const head = facts.length === 0 ? `${what}: done, and nothing had to change.` : `${what}: done.`;
  return [head, ...columns(happened), ...(members.length > 0 ? ["", ...columns(members)] : [])].join("\n");
}

function shownAs(value: unknown, width: number): string {
  return typeof value === "string" ? value : cut(JSON.stringify(value) ?? "", Math.max(40, width));
}

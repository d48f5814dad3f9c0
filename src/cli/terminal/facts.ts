// What an act or a trigger did, for a person: each fact, and the members of what it made or changed.
import { columns, cut, type Terminal } from "./terminal.ts";

export interface Fact {
  fact: string;
  id: string;
}

export interface Done {
  result: Readonly<Record<string, unknown>>;
  facts: readonly Fact[];
}

export function outcome(
  what: string,
  { result, facts }: Done,
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

// The stories that are selected: in the address, in the order in which they were.
import { query, setQuery } from "../router.ts";
import type { Row } from "./rows.ts";

export const picked = (): readonly string[] => query("pick").split(",").filter(Boolean);

const choose = (ids: Iterable<string>): void => setQuery({ pick: [...ids].join(",") });

export function pick(id: string): void {
  const next = new Set(picked());
  if (!next.delete(id)) next.add(id);
  choose(next);
}

/** From the last that was selected to this one, both among them. */
export function pickTo(id: string, rows: readonly Row[]): void {
  const ids = rows.flatMap((row) => (row.type === "story" ? [row.story.head.id] : []));
  const [one, other] = [ids.indexOf(picked().at(-1) ?? id), ids.indexOf(id)].sort((a, b) => a - b) as [number, number];
  choose(new Set([...picked(), ...ids.slice(Math.max(0, one), other + 1)]));
}

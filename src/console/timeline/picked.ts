// The stories that are selected: in the address, in the order in which they were.
import { listIn, setQuery, toggleIn } from "../router.ts";
import type { TimelineRow } from "./rows.ts";

export const picked = (): readonly string[] => listIn("pick");

export const pick = (id: string): void => toggleIn("pick", id);

/** From the last that was selected to this one, both among them. */
export function pickTo(id: string, rows: readonly TimelineRow[]): void {
  const ids = rows.flatMap((row) => (row.type === "story" ? [row.story.head.id] : []));
  const [one, other] = [ids.indexOf(picked().at(-1) ?? id), ids.indexOf(id)].sort((a, b) => a - b) as [number, number];
  setQuery({ pick: [...new Set([...picked(), ...ids.slice(Math.max(0, one), other + 1)])].join(",") });
}

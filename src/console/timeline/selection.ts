// The stories that are selected: in the address, in the order in which they were.
import { getQueryList, setQuery, toggleQueryItem } from "../router.ts";
import type { TimelineRow } from "./rows.ts";

export const getSelectedIds = (): readonly string[] => getQueryList("pick");

export const toggleSelected = (id: string): void => toggleQueryItem("pick", id);

/** From the last that was selected to this one, both among them. */
export function selectRange(id: string, rows: readonly TimelineRow[]): void {
  const ids = rows.flatMap((row) => (row.type === "story" ? [row.story.head.id] : []));
  const [one, other] = [ids.indexOf(getSelectedIds().at(-1) ?? id), ids.indexOf(id)].sort((a, b) => a - b) as [
    number,
    number,
  ];
  setQuery({ pick: [...new Set([...getSelectedIds(), ...ids.slice(Math.max(0, one), other + 1)])].join(",") });
}

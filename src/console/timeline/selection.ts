// The selected stories. The address holds their ids in the order in which they were selected.
import { getQueryList, setQuery, toggleQueryItem } from "../router.ts";
import type { TimelineRow } from "./rows.ts";

export const getSelectedIds = (): readonly string[] => getQueryList("pick");

export const toggleSelected = (id: string): void => toggleQueryItem("pick", id);

/** Selects all stories between the one that was selected last and this one, both included. */
export function selectRange(id: string, rows: readonly TimelineRow[]): void {
  const ids = rows.flatMap((row) => (row.type === "story" ? [row.story.head.id] : []));
  const selected = getSelectedIds();
  const [from, to] = [ids.indexOf(selected.at(-1) ?? id), ids.indexOf(id)];
  const range = ids.slice(Math.max(0, Math.min(from, to)), Math.max(from, to) + 1);
  setQuery({ pick: [...new Set([...selected, ...range])].join(",") });
}

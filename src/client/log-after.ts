// Reads the whole log of a world after a `seq`, oldest first. With `run`, the log includes the worlds of the same run.
import { type Control, type Schemas, unwrap } from "./control.ts";

/** The largest page that the control API returns. */
const PAGE_SIZE = 1000;

export async function readLogAfter(
  control: Control,
  since: number,
  { run = false }: { run?: boolean } = {},
): Promise<{ items: Schemas["LogEntry"][]; dropped: Schemas["Dropped"] }> {
  const found: Schemas["LogEntry"][] = [];
  for (let before: number | undefined; ; before = found[0]?.seq) {
    const query = {
      since,
      limit: PAGE_SIZE,
      view: "full" as const,
      run: run ? ("true" as const) : ("false" as const),
      ...(before === undefined ? {} : { before }),
    };
    const { items, dropped } = await unwrap(control.GET("/_sandbox/log", { params: { query } }));
    found.unshift(...items);
    if (items.length < PAGE_SIZE) return { items: found, dropped };
  }
}

/** Removes requests that a person or a tool of the sandbox sent, because they say nothing about the program. */
export const excludeByHand = <E extends Schemas["LogEntry"]>(entries: readonly E[]): E[] =>
  entries.filter((entry) => entry.kind !== "request" || entry.by_hand !== true);

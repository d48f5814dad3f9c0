// The whole log of a world after a `seq`, oldest first, page by page; with `run` also that of the worlds that are part of its run.
import { type Control, type Schemas, unwrap } from "./control.ts";

/** A page that a server gives at most. */
const PAGE_SIZE = 1000;

export async function readLogAfter(
  control: Control,
  since: number,
  { page = PAGE_SIZE, run = false }: { page?: number; run?: boolean } = {},
): Promise<{ items: Schemas["LogEntry"][]; dropped: Schemas["Dropped"] }> {
  const found: Schemas["LogEntry"][] = [];
  for (let before: number | undefined; ; before = found[0]?.seq) {
    const query = {
      ...{ since, limit: page, view: "full" as const, run: run ? ("true" as const) : ("false" as const) },
      ...(before === undefined ? {} : { before }),
    };
    const { items, dropped } = await unwrap(control.GET("/_sandbox/log", { params: { query } }));
    found.unshift(...items);
    if (items.length < page) return { items: found, dropped };
  }
}

/** Without the requests that a person or a tool of the sandbox sent, which say nothing of the program. */
export const excludeByHand = <E extends Schemas["LogEntry"]>(entries: readonly E[]): E[] =>
  entries.filter((entry) => entry.kind !== "request" || entry.by_hand !== true);

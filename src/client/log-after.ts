// The whole log of a world after a `seq`, oldest first, page by page.
import { type Control, dataOf, type Schemas } from "./control.ts";

const PAGE = 1000;

export async function entriesAfter(
  control: Control,
  since: number,
): Promise<{ items: Schemas["LogEntry"][]; dropped: Schemas["Dropped"] }> {
  const found: Schemas["LogEntry"][] = [];
  for (let before: number | undefined; ; before = found[0]?.seq) {
    const query = { since, limit: PAGE, view: "full" as const, ...(before === undefined ? {} : { before }) };
    const { items, dropped } = await dataOf(control.GET("/_sandbox/log", { params: { query } }));
    found.unshift(...items);
    if (items.length < PAGE) return { items: found, dropped };
  }
}

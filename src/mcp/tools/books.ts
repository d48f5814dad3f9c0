// The tool books shows the accounting entries of the world, the balance of each account, and one order as a T-account.
import { markData } from "../result-pages.ts";
import type { ToolDefinition } from "../tool.ts";

interface BooksInput {
  action: "entries" | "balance" | "order";
  order_id?: string;
}

export const books: ToolDefinition = {
  name: "books",
  title: "Read the books",
  description:
    "Shows the accounting of this world: entries with their reason and postings, the trial balance with its checks, or one order as a T-account with the reason for an open amount.",
  example: { action: "balance" },
  examples: [{ action: "order", order_id: "1042" }],
  async run({ action, order_id = "", ...query }: BooksInput, { ask }) {
    if (action === "order") {
      const path = { orderId: order_id };
      return [markData(await ask((control) => control.GET("/_sandbox/books/orders/{orderId}", { params: { path } })))];
    }
    if (action === "balance") {
      const read = await ask((control) => control.GET("/_sandbox/books/trial-balance", { params: { query } }));
      // The kinds of each account are omitted, because they fill the page and `entries` shows them.
      return [markData({ ...read, accounts: read.accounts.map(({ kinds: _, ...account }) => account) })];
    }
    const params = { query: { ...query, ...(order_id && { order_id }) } };
    const { items, next } = await ask((control) => control.GET("/_sandbox/books/entries", { params }));
    if (items.length === 0) return ["No entries match."];
    // The cursor of the control API can't be used as a cursor of the tool.
    const more = "There are more entries. Narrow them by `from` and `to`, or by `order_id`.";
    return [...(next ? [more] : []), markData(items)];
  },
};

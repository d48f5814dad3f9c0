// books: the accounting entries of the world, what stands on each account, and one order as a T-account.
import tools from "../../contract/generated/tools.json" with { type: "json" };
import { data } from "../answer.ts";
import type { Tool } from "../tool.ts";

const { books: row } = tools;

interface BooksInput {
  action: "entries" | "balance" | "order";
  order_id?: string;
}

export const books: Tool = {
  name: "books",
  title: "Read the books",
  description:
    "The accounting of this world: each entry with what it was booked for and the lines behind it, the trial balance with its checks, or one order as a T-account with the reason why something is left.",
  input: row.input,
  actions: row,
  example: { action: "balance" },
  examples: [{ action: "order", order_id: "1042" }],
  async run({ action, order_id = "", ...query }: BooksInput, { ask }) {
    if (action === "order") {
      const path = { orderId: order_id };
      return [data(await ask((control) => control.GET("/_sandbox/books/orders/{orderId}", { params: { path } })))];
    }
    if (action === "balance") {
      const read = await ask((control) => control.GET("/_sandbox/books/trial-balance", { params: { query } }));
      // The kinds of entries behind an account would fill the page, and `entries` has them.
      return [data({ ...read, accounts: read.accounts.map(({ kinds: _, ...account }) => account) })];
    }
    const params = { query: { ...query, ...(order_id && { order_id }) } };
    const { items, next } = await ask((control) => control.GET("/_sandbox/books/entries", { params }));
    if (items.length === 0) return ["No such entry yet."];
    // A cursor of the control API is none of the tools'.
    const more = "There are more than these: narrow them by `from` and `to`, or by `order_id`.";
    return [...(next ? [more] : []), data(items)];
  },
};

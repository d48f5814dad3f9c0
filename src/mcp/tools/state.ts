// The tools clock, faults and books show and change the clock, the armed faults and the accounting of the selected world.
import type { Schemas } from "../../client/control.ts";
import { formatMoveCounts } from "../../client/move-counts.ts";
import table from "../../contract/generated/fault-input.json" with { type: "json" };
import { type Block, markData } from "../result-pages.ts";
import { formatCall, type ToolDefinition } from "../tool.ts";

interface ClockMove {
  now: string;
  mode?: string;
  counts?: Schemas["MoveCounts"];
  receipt?: unknown[];
}

interface ClockInput {
  action: "show" | "advance" | "set" | "next" | "hold" | "run";
  by?: string;
  until?: string;
  dry_run?: boolean;
}

export const clock: ToolDefinition = {
  name: "clock",
  title: "Move the clock",
  description:
    "Shows the world's clock, or moves it forward. Everything that becomes due runs: events end, gift cards expire, deliveries are retried.",
  example: { action: "advance", by: "P1D" },
  examples: [{ action: "set", until: "2030-06-02T09:00:00Z" }],
  effect: "changes",
  async run({ action, by = "", until = "", dry_run = false }: ClockInput, { ask }) {
    const advance = (how: { by: string } | { until: string } | { to: "next" }) =>
      ask((control) => control.POST("/_sandbox/clock/advance", { body: { ...how, dry_run } }));
    const setMode = (mode: "held" | "running") => ask((control) => control.PUT("/_sandbox/clock", { body: { mode } }));
    // The type of the table requires a row for every action of the specification.
    const moves: Record<ClockInput["action"], () => Promise<ClockMove>> = {
      show: () => ask((control) => control.GET("/_sandbox/clock")),
      advance: () => advance({ by }),
      set: () => advance({ until }),
      next: () => advance({ to: "next" }),
      hold: () => setMode("held"),
      run: () => setMode("running"),
    };
    return formatMove(await moves[action](), dry_run);
  },
};

function formatMove({ now, mode, counts, receipt }: ClockMove, dry: boolean): Block[] {
  const time = `It ${dry ? "would be" : "is"} ${now}${mode ? `, ${mode}` : ""}.`;
  // The actions show, hold and run move nothing, so they have no receipt.
  if (counts === undefined) return [time];
  return [`${time} Summary: ${formatMoveCounts(counts)}.`, markData(receipt)];
}

const FAULT_EXAMPLE = { action: "arm", operation: "createBooking", status: 503, times: 1 };
/** The change is applied and its response is lost. Programs handle this fault incorrectly most often. */
const LOST_RESPONSE = { action: "arm", operation: "createBooking", connection: "empty", when: "after" };

interface FaultsInput extends Partial<Schemas["FaultInput"]> {
  action: "list" | "arm" | "clear";
}

export const faults: ToolDefinition = {
  name: "faults",
  title: "Make operations fail",
  description:
    "Lists, arms or clears faults in this world: an error status, a delay or a broken connection, before the change or after it (the response is lost); also faults of tokens, responses, pages and webhook deliveries.",
  example: FAULT_EXAMPLE,
  examples: [LOST_RESPONSE],
  effect: "changes",
  async run({ action, ...fault }: FaultsInput, { ask }) {
    if (action === "clear") await ask((control) => control.DELETE("/_sandbox/faults", { params: { query: fault } }));
    const body = { ...table.defaults, ...fault } as Schemas["FaultInput"];
    // The other actions end with the list of armed faults.
    const { faults: all } = await ask((control) =>
      action === "arm" ? control.POST("/_sandbox/faults", { body }) : control.GET("/_sandbox/faults"),
    );
    if (all.length === 0) return ["No fault is armed.", `Arm one: ${formatCall("faults", FAULT_EXAMPLE)}`];
    return ["Armed faults, with their hits:", markData(all)];
  },
};

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

// The tool clock shows and moves the clock of the world.

import type { Schemas } from "../../client/control.ts";
import { formatMoveCounts } from "../../client/move-counts.ts";
import { type Block, markData } from "../result-pages.ts";
import type { ToolDefinition } from "../tool.ts";

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
    return formatReport(await moves[action](), dry_run);
  },
};

function formatReport({ now, mode, counts, receipt }: ClockMove, dry: boolean): Block[] {
  const time = `It ${dry ? "would be" : "is"} ${now}${mode ? `, ${mode}` : ""}.`;
  // The actions show, hold and run move nothing, so they have no receipt.
  if (counts === undefined) return [time];
  return [`${time} Summary: ${formatMoveCounts(counts)}.`, markData(receipt)];
}

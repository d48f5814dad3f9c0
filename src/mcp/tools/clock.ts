// clock: what time it is in the world, and letting it pass.
import { type Block, data } from "../answer.ts";
import { callOf, defineTool, Refusal } from "../tool.ts";

interface Moved {
  now: string;
  mode?: string;
  receipt?: unknown[];
}

const ADVANCE = { action: "advance", by: "P1D" };
const SET = { action: "set", until: "2030-06-02T09:00:00Z" };

export const clock = defineTool({
  name: "clock",
  title: "Move the clock",
  description:
    "Shows the world's clock, or moves it: whatever falls due on the way happens (events end, gift cards expire, deliveries are retried). It never goes back.",
  takes: {
    action: {
      default: "show",
      description: "next: to the next instant at which something is due.",
      type: "string",
      enum: ["show", "advance", "set", "next", "hold", "run"],
    },
    by: { description: "With advance: an ISO 8601 duration, such as P3D or PT90M.", type: "string", maxLength: 40 },
    until: { description: "With set: an instant, such as 2030-06-02T09:00:00Z.", type: "string", maxLength: 40 },
    dry_run: { description: "Only say what would happen.", type: "boolean" },
  },
  example: ADVANCE,
  effect: "changes",
  async run({ action, by = "", until = "", dry_run = false }, { ask }) {
    mustFit(action, by, until, dry_run);
    const advance = (how: { by: string } | { until: string } | { to: "next" }) =>
      ask((control) => control.POST("/_sandbox/clock/advance", { body: { ...how, dry_run } }));
    const setMode = (mode: "held" | "running") => ask((control) => control.PUT("/_sandbox/clock", { body: { mode } }));
    const moves: Record<typeof action, () => Promise<Moved>> = {
      show: () => ask((control) => control.GET("/_sandbox/clock")),
      advance: () => advance({ by }),
      set: () => advance({ until }),
      next: () => advance({ to: "next" }),
      hold: () => setMode("held"),
      run: () => setMode("running"),
    };
    return told(await moves[action](), dry_run);
  },
});

function mustFit(action: string, by: string, until: string, dry: boolean): void {
  const works = [callOf("clock", ADVANCE), callOf("clock", SET)];
  if ((action === "advance") !== (by !== ""))
    throw new Refusal(action === "advance" ? "`by` is missing." : "`by` goes with the action advance only.", works);
  if ((action === "set") !== (until !== ""))
    throw new Refusal(action === "set" ? "`until` is missing." : "`until` goes with the action set only.", works);
  if (dry && !["advance", "set", "next"].includes(action))
    throw new Refusal("`dry_run` goes with advance, set and next.", [callOf("clock", { ...ADVANCE, dry_run: true })]);
}

function told({ now, mode, receipt }: Moved, dry: boolean): Block[] {
  const time = `It ${dry ? "would be" : "is"} ${now}${mode ? `, ${mode}` : ""}.`;
  if (receipt === undefined) return [time];
  if (receipt.length === 0) return [time, "Nothing was due."];
  return [`${time} ${dry ? "This would happen:" : "This has happened:"}`, data(receipt)];
}

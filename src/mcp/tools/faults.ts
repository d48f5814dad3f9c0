// The tool faults makes operations fail, delays them, or loses their response, to test how a program reacts.
import type { Schemas } from "../../client/control.ts";
import table from "../../contract/generated/fault-input.json" with { type: "json" };
import { markData } from "../result-pages.ts";
import { formatCall, type ToolDefinition } from "../tool.ts";

const EXAMPLE = { action: "arm", operation: "createBooking", status: 503, times: 1 };
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
  example: EXAMPLE,
  examples: [LOST_RESPONSE],
  effect: "changes",
  async run({ action, ...fault }: FaultsInput, { ask }) {
    if (action === "clear") await ask((control) => control.DELETE("/_sandbox/faults", { params: { query: fault } }));
    const body = { ...table.defaults, ...fault } as Schemas["FaultInput"];
    // The other actions end with the list of armed faults.
    const { faults: all } = await ask((control) =>
      action === "arm" ? control.POST("/_sandbox/faults", { body }) : control.GET("/_sandbox/faults"),
    );
    if (all.length === 0) return ["No fault is armed.", `Arm one: ${formatCall("faults", EXAMPLE)}`];
    return ["Armed faults, with their hits:", markData(all)];
  },
};

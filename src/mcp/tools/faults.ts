// faults: operations that fail, are late, or lose their answer, so that the program under test can show what it does then.
import type { Schemas } from "../../client/control.ts";
import table from "../../contract/generated/fault-input.json" with { type: "json" };
import tools from "../../contract/generated/tools.json" with { type: "json" };
import { data } from "../answer.ts";
import { callOf, type Tool, ToolRejection } from "../tool.ts";

const { faults: row } = tools;
const EXAMPLE = { action: "arm", operation: "createBooking", status: 503, times: 1 };
/** A change that is carried out, and its answer lost: the fault that programs most often get wrong. */
const LOST = { action: "arm", operation: "createBooking", connection: "empty", when: "after" };

interface FaultsInput extends Partial<Schemas["FaultInput"]> {
  action: "list" | "arm" | "clear";
}

export const faults: Tool = {
  name: "faults",
  title: "Make operations fail",
  description:
    "Lists, arms or clears faults of the API in this world: an error status, a delay, a broken connection, before the change or after it (the answer is lost); of tokens, answers, pages and webhook deliveries.",
  input: row.input,
  actions: row,
  example: EXAMPLE,
  examples: [LOST],
  effect: "changes",
  async run({ action, ...fault }: FaultsInput, { ask }) {
    if (action === "arm") mustDoSomething(fault);
    if (action === "clear") await ask((control) => control.DELETE("/_sandbox/faults", { params: { query: fault } }));
    const body = { ...table.defaults, ...fault } as Schemas["FaultInput"];
    // Without one to arm the list is read: after a clear, what is left.
    const { faults: all } = await ask((control) =>
      action === "arm" ? control.POST("/_sandbox/faults", { body }) : control.GET("/_sandbox/faults"),
    );
    if (all.length === 0) return ["No fault is armed.", `Arm one: ${callOf("faults", EXAMPLE)}`];
    return ["Armed, with how often each has hit:", data(all)];
  },
};

function mustDoSomething(fault: Readonly<Record<string, unknown>>): void {
  const works = [callOf("faults", EXAMPLE), callOf("faults", LOST)];
  if (fault.operation === undefined && fault.delivery === undefined)
    throw new ToolRejection("`operation` is missing.", works);
  // From the specification: a member that does something by itself is in the table at once.
  const things = [...new Set(table.chosen.map((path) => path.split(".")[0] ?? ""))];
  if (!things.some((name) => fault[name] !== undefined))
    throw new ToolRejection(`This fault would do nothing. Give one of ${things.join(", ")}.`, works);
}

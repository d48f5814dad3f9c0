// faults: operations that fail, are late, or lose their answer, so that the program under test can show what it does then.
import * as z from "zod";
import type { Schemas } from "../../client/control.ts";
import { data } from "../answer.ts";
import { callOf, defineTool, Refusal } from "../tool.ts";

const EXAMPLE = { action: "arm", operation: "createBooking", status: 503, times: 1 };
const LOST = { action: "arm", operation: "createBooking", connection: "empty", when: "after" };

export const faults = defineTool({
  name: "faults",
  title: "Make operations fail",
  description:
    "Lists, arms or clears faults of the API in this world: an error status, a delay, a broken connection, before the change or after it (the answer is lost).",
  input: z.strictObject({
    action: z.enum(["list", "arm", "clear"]).default("list"),
    operation: z.string().max(100).optional().describe("Such as createBooking, or createToken."),
    status: z.int().min(400).max(599).optional(),
    code: z.string().max(100).optional().describe("One of the service's brings its usual status."),
    delay_ms: z.int().min(0).max(600_000).optional(),
    connection: z.enum(["reset", "empty", "truncate"]).optional(),
    when: z.enum(["before", "after"]).optional().describe("after: it happens, and the answer is lost."),
    times: z.int().min(1).max(1_000_000).optional().describe("How often it strikes; default 1."),
  }),
  example: EXAMPLE,
  effect: "changes",
  async run({ action, ...fault }, { ask }) {
    mustFit(action, fault);
    if (action === "clear") await ask((control) => control.DELETE("/_sandbox/faults"));
    const { faults: armed } = await ask((control) => control.GET("/_sandbox/faults"));
    const body = { faults: [...armed, { times: 1, ...fault } as Schemas["FaultInput"]] };
    const all = action === "arm" ? (await ask((control) => control.PUT("/_sandbox/faults", { body }))).faults : armed;
    if (all.length === 0) return ["No fault is armed.", `Arm one: ${callOf("faults", EXAMPLE)}`];
    return ["Armed, with how often each has struck (hits):", data(all)];
  },
});

function mustFit(action: string, fault: Record<string, unknown>): void {
  const works = [callOf("faults", EXAMPLE), callOf("faults", LOST)];
  const given = Object.keys(fault).filter((name) => fault[name] !== undefined);
  if (action !== "arm" && given.length > 0)
    throw new Refusal(`The action ${action} does not take \`${given[0]}\`.`, works);
  if (action !== "arm") return;
  if (fault.operation === undefined) throw new Refusal("`operation` is missing.", works);
  if (!["status", "code", "delay_ms", "connection"].some((name) => given.includes(name)))
    throw new Refusal("This fault would do nothing. Give a status, code, delay_ms or connection.", works);
}

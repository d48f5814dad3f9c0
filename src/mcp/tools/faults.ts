// faults: operations that fail, are late, or lose their answer, so that the program under test can show what it does then.
import * as z from "zod";
import type { Schemas } from "../../client/control.ts";
import { data } from "../answer.ts";
import { callOf, defineTool, Refusal } from "../tool.ts";

const EXAMPLE = { action: "arm", operation: "createBooking", status: 503, times: 1 };
const LOST = { action: "arm", operation: "createBooking", connection: "empty", when: "after" };

const DELIVERIES = [
  ...(["drop", "duplicate", "reorder", "late", "altered", "wrong_secret", "stale_timestamp"] as const),
  ...(["missing_header", "unknown_kind", "unknown_members"] as const),
] as const;
const THINGS = ["status", "code", "delay_ms", "connection", "token", "answer", "page", "stale", "move", "delivery"];

export const faults = defineTool({
  name: "faults",
  title: "Make operations fail",
  description:
    "Lists, arms or clears faults of the API in this world: an error status, a delay, a broken connection, before the change or after it (the answer is lost); of tokens, answers, pages and webhook deliveries.",
  input: z.strictObject({
    action: z.enum(["list", "arm", "clear"]).default("list"),
    name: z.string().min(1).max(100).optional().describe("What the log calls it."),
    operation: z
      .string()
      .max(100)
      .optional()
      .describe("Such as createBooking, createToken, or * for any but createToken."),
    methods: z.array(z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])).optional(),
    client_id: z.string().min(1).optional().describe("Only requests of this client."),
    skip: z.int().min(0).max(1_000_000).optional().describe("So many pass first."),
    share: z.number().positive().max(1).optional().describe("The share that it hits."),
    seed: z.int().min(0).max(4_294_967_295).optional().describe("The seed of the share."),
    status: z.int().min(400).max(599).optional(),
    code: z.string().max(100).optional().describe("One of the service's brings its usual status."),
    delay_ms: z.int().min(0).max(600_000).optional(),
    connection: z.enum(["reset", "empty", "truncate"]).optional(),
    retry_after: z.int().min(0).max(86_400).optional(),
    when: z.enum(["before", "after"]).optional().describe("after: it happens, and the answer is lost."),
    token: z
      .strictObject({
        revoke: z.literal(true).optional(),
        expires_in: z.int().min(1).max(86_400).optional(),
        form: z.literal("long").optional(),
      })
      .optional()
      .describe("revoke: that of the request. The others are of createToken."),
    answer: z
      .strictObject({
        unknown_value: z.union([z.literal(true), z.string()]).optional(),
        unknown_members: z.literal(true).optional(),
        leave_out: z.union([z.literal(true), z.array(z.string())]).optional(),
      })
      .optional()
      .describe("What is changed in a good answer; true for all members."),
    page: z
      .strictObject({
        short: z.literal(true).optional(),
        end: z.enum(["empty", "absent"]).optional(),
        change: z.literal(true).optional(),
      })
      .optional(),
    stale: z.literal(true).optional().describe("After the answer another party books all that is left."),
    move: z.literal(true).optional().describe("After the answer the host moves the booking."),
    delivery: z
      .strictObject({
        kind: z.string().optional(),
        do: z.enum(DELIVERIES),
        late_ms: z.int().min(1).max(600_000).optional(),
      })
      .optional()
      .describe("What goes wrong with a webhook message; without an operation."),
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
  if (fault.operation === undefined && fault.delivery === undefined)
    throw new Refusal("`operation` is missing.", works);
  if (!THINGS.some((name) => given.includes(name)))
    throw new Refusal(`This fault would do nothing. Give one of ${THINGS.join(", ")}.`, works);
}

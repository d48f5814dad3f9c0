// Verbs that send a request to the control API: `act` runs a host action, `trigger` causes a webhook kind, `advance` moves the world's clock by a
// duration, until an instant, or to the next due time, `fault` replaces the armed faults, and `assume` overrides assumptions.
import { type Control, type HttpOutcome, perform, type Schemas } from "../../../client/control.ts";
import { isObject, type JsonObject } from "../../../platform/json.ts";
import { optional } from "../../../platform/optional.ts";
import { receive } from "../client.ts";
import type { Step } from "../scenario.ts";
import { flatten, type Verb } from "./verb.ts";

interface ControlVerb<Sent extends JsonObject> extends Pick<Verb, "name" | "about"> {
  /** The fields of a success. */
  fields: readonly string[];
  read(step: Step): Sent;
  send(control: Control, sent: Sent, step: Step): Promise<HttpOutcome<unknown>>;
  /** Whether it moves the clock, so that tokens may have expired. */
  movesClock?: true;
}

const createVerb = <Sent extends JsonObject>({ fields, read, send, movesClock, ...verb }: ControlVerb<Sent>): Verb => ({
  ...verb,
  answers: ["status", ...fields, "code", "message", "body", "error"],
  async play(step, context) {
    const sent = read(step);
    const answered = await receive(send(context.control, sent, step));
    if (movesClock) context.forgetTokens();
    return { sent, outcome: flatten(answered), ...optional({ requestId: answered.headers["sandbox-request-id"] }) };
  },
});

export const act = createVerb({
  name: "act",
  fields: ["result", "facts"],
  about: (step) => step.act ?? "",
  read: (step) => step.with ?? {},
  send: (control, sent, step) => perform(control, step.act ?? "", sent),
});

export const trigger = createVerb({
  name: "trigger",
  fields: ["result", "facts"],
  about: (step) => step.trigger ?? "",
  read: (step) => ({ kind: step.trigger ?? "", ...optional({ set: step.with }) }),
  send: (control, sent) => control.POST("/_sandbox/trigger", { body: sent as Schemas["TriggerInput"] }),
  movesClock: true,
});

export const advance = createVerb({
  name: "advance",
  fields: ["now", "receipt"],
  about: (step) => (typeof step.advance === "string" ? step.advance : Object.values(step.advance ?? {}).join(" ")),
  read: readTarget,
  send: (control, sent) => control.POST("/_sandbox/clock/advance", { body: sent as Schemas["AdvanceInput"] }),
  movesClock: true,
});

function readTarget({ advance: way }: Step): JsonObject {
  if (typeof way !== "string") return way ?? {};
  if (way === "next") return { to: "next" };
  return way.startsWith("P") ? { by: way } : { until: way };
}

export const fault = createVerb({
  name: "fault",
  fields: ["faults"],
  about: (step) =>
    listFaults(step)
      .map(({ name, operation, delivery }) => String(name ?? operation ?? (isObject(delivery) ? delivery.do : "")))
      .join(", ") || "none",
  read: (step) => ({ faults: listFaults(step) }),
  send: (control, sent) => control.PUT("/_sandbox/faults", { body: sent as object as Schemas["FaultsInput"] }),
});

/** An empty list clears the faults. */
export function listFaults({ fault: faults = [] }: Step): JsonObject[] {
  return Array.isArray(faults) ? faults : [faults];
}

export const assume = createVerb({
  name: "assume",
  fields: ["items"],
  about: (step) => Object.keys(step.assume ?? {}).join(", "),
  read: (step) => step.assume ?? {},
  send: (control, sent) => control.PUT("/_sandbox/assumptions", { body: sent as Record<string, string> }),
});

// fault: arms what is to go wrong with operations; it replaces what was armed before, and an empty list disarms.
import type { Schemas } from "../../../client/control.ts";
import type { JsonObject } from "../../../platform/json.ts";
import { received } from "../client.ts";
import { isObject } from "../match.ts";
import type { Step } from "../scenario.ts";
import { flat, type Verb } from "./verb.ts";

export const fault: Verb = {
  name: "fault",
  answers: ["status", "faults", "code", "message", "body", "error"],
  about: (step) =>
    faultsOf(step)
      .map(({ name, operation, delivery }) => String(name ?? operation ?? (isObject(delivery) ? delivery.do : "")))
      .join(", ") || "none",
  async play(step, context) {
    const sent = { faults: faultsOf(step) };
    const body = sent as object as Schemas["FaultsInput"];
    return { sent, outcome: flat(await received(context.control.PUT("/_sandbox/faults", { body }))) };
  },
};

export function faultsOf({ fault: faults = [] }: Step): JsonObject[] {
  return Array.isArray(faults) ? faults : [faults];
}

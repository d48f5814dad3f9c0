// The verb `fault` arms faults. It replaces the armed faults, and an empty list clears them.
import type { Schemas } from "../../../client/control.ts";
import type { JsonObject } from "../../../platform/json.ts";
import { receive } from "../client.ts";
import { isObject } from "../match.ts";
import type { Step } from "../scenario.ts";
import { flatten, type Verb } from "./verb.ts";

export const fault: Verb = {
  name: "fault",
  answers: ["status", "faults", "code", "message", "body", "error"],
  about: (step) =>
    listFaults(step)
      .map(({ name, operation, delivery }) => String(name ?? operation ?? (isObject(delivery) ? delivery.do : "")))
      .join(", ") || "none",
  async play(step, context) {
    const sent = { faults: listFaults(step) };
    const body = sent as object as Schemas["FaultsInput"];
    return { sent, outcome: flatten(await receive(context.control.PUT("/_sandbox/faults", { body }))) };
  },
};

export function listFaults({ fault: faults = [] }: Step): JsonObject[] {
  return Array.isArray(faults) ? faults : [faults];
}

// The verb `advance` moves the world's clock by a duration, until an instant, or to the next due time. Everything that becomes due runs.
import type { Schemas } from "../../../client/control.ts";
import type { JsonObject } from "../../../platform/json.ts";
import { receive } from "../client.ts";
import type { Step } from "../scenario.ts";
import { flatten, type Verb } from "./verb.ts";

export const advance: Verb = {
  name: "advance",
  answers: ["status", "now", "receipt", "code", "message", "body", "error"],
  about: (step) => (typeof step.advance === "string" ? step.advance : Object.values(step.advance ?? {}).join(" ")),
  async play(step, context) {
    const sent = readTarget(step);
    const body = sent as Schemas["AdvanceInput"];
    const outcome = flatten(await receive(context.control.POST("/_sandbox/clock/advance", { body })));
    // Tokens may have expired on the world's clock.
    context.forgetTokens();
    return { sent, outcome };
  },
};

function readTarget({ advance: way }: Step): JsonObject {
  if (typeof way !== "string") return way ?? {};
  if (way === "next") return { to: "next" };
  return way.startsWith("P") ? { by: way } : { until: way };
}

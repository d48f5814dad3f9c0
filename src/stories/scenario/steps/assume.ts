// The verb `assume` overrides assumptions for the following steps.
import { receive } from "../client.ts";
import { flatten, type Verb } from "./verb.ts";

export const assume: Verb = {
  name: "assume",
  answers: ["status", "items", "code", "message", "body", "error"],
  about: (step) => Object.keys(step.assume ?? {}).join(", "),
  async play(step, context) {
    const sent = step.assume ?? {};
    return { sent, outcome: flatten(await receive(context.control.PUT("/_sandbox/assumptions", { body: sent }))) };
  },
};

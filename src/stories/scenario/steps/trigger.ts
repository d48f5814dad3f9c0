// The verb `trigger` causes a webhook kind, on a suitable record or on the one in `with`.
import { receive } from "../client.ts";
import { flatten, type Verb } from "./verb.ts";

export const trigger: Verb = {
  name: "trigger",
  answers: ["status", "result", "facts", "code", "message", "body", "error"],
  about: (step) => step.trigger ?? "",
  async play(step, context) {
    const sent = { kind: step.trigger as never, ...(step.with === undefined ? {} : { set: step.with }) };
    const answer = await receive(context.control.POST("/_sandbox/trigger", { body: sent }));
    // A trigger may move the clock to the end of an event, so tokens may have expired.
    context.forgetTokens();
    return { sent, outcome: flatten(answer) };
  },
};

// act: a move of the host.
import { perform } from "../../../client/control.ts";
import { optional } from "../../../platform/optional.ts";
import { received } from "../client.ts";
import { flat, type Verb } from "./verb.ts";

export const act: Verb = {
  name: "act",
  answers: ["status", "result", "facts", "code", "message", "body", "error"],
  about: (step) => step.act ?? "",
  async play(step, context) {
    const sent = step.with ?? {};
    const answered = await received(perform(context.control, step.act ?? "", sent));
    return { sent, outcome: flat(answered), ...optional({ requestId: answered.headers["sandbox-request-id"] }) };
  },
};

// The verb `act` runs a host action.
import { perform } from "../../../client/control.ts";
import { optional } from "../../../platform/optional.ts";
import { receive } from "../client.ts";
import { flatten, type Verb } from "./verb.ts";

export const act: Verb = {
  name: "act",
  answers: ["status", "result", "facts", "code", "message", "body", "error"],
  about: (step) => step.act ?? "",
  async play(step, context) {
    const sent = step.with ?? {};
    const answered = await receive(perform(context.control, step.act ?? "", sent));
    return { sent, outcome: flatten(answered), ...optional({ requestId: answered.headers["sandbox-request-id"] }) };
  },
};

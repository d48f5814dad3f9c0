// `sandbox why` and `sandbox trigger`: shows an explanation, or what a trigger did.
import type { Schemas } from "../../client/control.ts";
import type { Answer } from "../answer.ts";
import { option } from "../command.ts";
import { describeListeners } from "../listeners.ts";
import { formatOutcome } from "../terminal/facts.ts";
import { fitText } from "../terminal/terminal.ts";
import { formatChange, formatExplanation } from "../terminal/why-view.ts";
import { formatResponse, resend, toReplayExitCode } from "./messages.ts";

const why: Answer<Schemas["Why"] | Schemas["WhyApplied"]> = {
  async prepare(input, { given }, { ask, control }) {
    // The latest rejection is looked up before it is applied, so that the output names the request that was changed.
    if (given.flag("apply")) input.path ??= { id: (await ask(control.GET("/_sandbox/why"))).id };
  },
  show(answer, call, { input }) {
    // A response without a change means that --apply was not given.
    if (!("change" in answer)) return [formatExplanation(answer, call.terminal, call.given.flag("basis"))];
    call.terminal.say(formatChange(answer.change, call.terminal).join("\n"));
    return formatResponse(answer, call, `instead of ${input.path?.id}`);
  },
  code: (answer) => ("change" in answer ? toReplayExitCode(answer) : 0),
  options: [option.flag("basis", "Also show the sources of the rule.")],
};

const trigger: Answer<Schemas["ActAnswer"]> = {
  // The output says whether any subscription will receive the webhook.
  show: async (done, { args: [kind = ""], terminal }, { client }) => [
    formatOutcome(kind, done, terminal),
    ...(await describeListeners(client, done.facts)).map((line) => fitText(line, terminal.width)),
  ],
};

export const requests = { resend, trigger, why };

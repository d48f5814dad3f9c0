// An explanation, and what a trigger did.
import type { Schemas } from "../../client/control.ts";
import type { Answer } from "../answer.ts";
import { option } from "../command.ts";
import { describeListeners } from "../listeners.ts";
import { outcome } from "../terminal/facts.ts";
import { fitted } from "../terminal/terminal.ts";
import { changeLines, whyView } from "../terminal/why-view.ts";
import { codeOfResponse, resend, responseLines } from "./messages.ts";

const why: Answer<Schemas["Why"] | Schemas["WhyApplied"]> = {
  /** What is shown is what was sent. */
  async prepare(input, { given }, { ask, control }) {
    // The latest refusal is looked up now, so that the id in the words is that of the request that was changed.
    if (given.flag("apply")) input.path ??= { id: (await ask(control.GET("/_sandbox/why"))).id };
  },
  show(answer, call, { input }) {
    // Without --apply nothing was sent again.
    if (!("change" in answer)) return [whyView(answer, call.terminal, call.given.flag("basis"))];
    call.terminal.say(changeLines(answer.change, call.terminal).join("\n"));
    return responseLines(answer, call, `in the place of ${input.path?.id}`);
  },
  code: (answer) => ("change" in answer ? codeOfResponse(answer) : 0),
  options: [option.flag("basis", "Show what the rule rests on, too.")],
};

const trigger: Answer<Schemas["ActAnswer"]> = {
  // Whoever triggers a webhook wants to know whether anybody will get it.
  show: async (done, { args: [kind = ""], terminal }, { client }) => [
    outcome(kind, done, terminal),
    ...(await describeListeners(client, done.facts)).map((line) => fitted(line, terminal.width)),
  ],
};

export const requests = { resend, trigger, why };

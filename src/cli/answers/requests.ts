// What is asked about a request, and what is sent again: why, replay; and what a trigger did.
import type { Schemas } from "../../client/control.ts";
import type { Answer } from "../answer.ts";
import { type Call, option } from "../command.ts";
import { whoListens } from "../listeners.ts";
import { outcome } from "../terminal/facts.ts";
import { plain, statusText } from "../terminal/line.ts";
import { fitted } from "../terminal/terminal.ts";
import { changeLines } from "../terminal/why-refusal.ts";
import { whyView } from "../terminal/why-view.ts";

type Sent = Schemas["Replayed"];

/** 0 for a 2xx response. A redirect or an error is 1, so that a script notices. */
const codeOf = ({ status }: Sent): number => (status !== null && status < 300 ? 0 : 1);

function sent({ id, status, answer }: Sent, { terminal }: Call, how: string): string[] {
  terminal.say(`${statusText(status, terminal.paint)}  ${id}, ${how}`);
  // A fault may have cut the answer off: then there is only the status line.
  if (answer === null) return [];
  return [typeof answer === "string" ? plain(answer) : JSON.stringify(answer, null, 2)];
}

const replay: Answer<Sent> = {
  show: (answer, call) => sent(answer, call, `a replay of ${call.args[0]}`),
  code: codeOf,
};

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
    return sent(answer, call, `in the place of ${input.path?.id}`);
  },
  code: (answer) => ("change" in answer ? codeOf(answer) : 0),
  options: [option.flag("basis", "Show what the rule rests on, too.")],
};

const trigger: Answer<Schemas["ActAnswer"]> = {
  // Whoever triggers a webhook wants to know whether anybody will get it.
  show: async (done, { args: [kind = ""], terminal }, { client }) => [
    outcome(kind, done, terminal),
    ...(await whoListens(client, done.facts)).map((line) => fitted(line, terminal.width)),
  ],
};

export const requests = { replay, trigger, why };

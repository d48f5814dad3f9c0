// sandbox why: why something is as it is, by its id; without one, why the latest failed request was refused. With --apply the change that
// works is sent.
import type { Schemas } from "../../client/control.ts";
import { clientOf } from "../client.ts";
import { type Call, type Command, clientOptions } from "../command.ts";
import { plain, statusText } from "../terminal/line.ts";
import { changeLines } from "../terminal/why-refusal.ts";
import { whyShown } from "../terminal/why-shown.ts";

export const why: Command = {
  name: "why",
  summary: "Explain a request, act, message or record by its id.",
  arguments: [
    [
      "[id]",
      "Of a request, act, clock receipt, message, delivery, record, transaction or order number. Default: the latest refusal.",
    ],
  ],
  options: [
    {
      name: "apply",
      kind: "flag",
      default: false,
      meaning: "Send the refused request again with the change that works, without asking.",
    },
    { name: "basis", kind: "flag", default: false, meaning: "Show what the rule rests on, too." },
    ...clientOptions,
  ],
  epilogue: [
    "  sandbox why                     # the latest request that was refused",
    "  sandbox why evt-evening         # how a record came to be as it is",
    "  sandbox why --apply             # make the change, and send it again",
    "",
    "Of a refusal: the smallest change that works, tried on a copy of the world as it was and",
    "as it is, and the checks in order with what each looked at. Exit code of --apply: 0 for a",
    "2xx response, otherwise 1.",
  ].join("\n"),
  run: explain,
};

async function explain(call: Call): Promise<number | undefined> {
  const { args, given, terminal } = call;
  const { ask, control } = clientOf(given);
  const [id] = args;
  const explained = () =>
    ask(
      id === undefined ? control.GET("/_sandbox/why") : control.GET("/_sandbox/why/{id}", { params: { path: { id } } }),
    );
  if (given.flag("apply")) return apply(id ?? (await explained()).id, call);
  const found = await explained();
  if (given.flag("json")) terminal.json(found);
  else terminal.print(whyShown(found, terminal, given.flag("basis")));
  return undefined;
}

/** What is shown is what was sent. */
async function apply(id: string, { given, terminal }: Call): Promise<number> {
  const { ask, control } = clientOf(given);
  const applied: Schemas["WhyApplied"] = await ask(
    control.POST("/_sandbox/why/{id}/apply", { params: { path: { id } } }),
  );
  const { change, status, answer } = applied;
  if (given.flag("json")) terminal.json(applied);
  else {
    terminal.say(changeLines(change, terminal).join("\n"));
    terminal.say(`${statusText(status, terminal.paint)}  ${applied.id}, in the place of ${id}`);
    if (answer !== null) terminal.print(typeof answer === "string" ? plain(answer) : JSON.stringify(answer, null, 2));
  }
  return status !== null && status < 300 ? 0 : 1;
}

// sandbox why: why something is as it is, by its id; without one, why the latest failed request was refused.
import { clientOf } from "../client.ts";
import { type Call, type Command, clientOptions } from "../command.ts";
import { whyShown } from "../terminal/why-shown.ts";

export const why: Command = {
  name: "why",
  summary: "Explain a request, act, message or record by its id.",
  arguments: [["[id]", "Of a request, act, clock receipt, message, delivery or record. Default: the latest refusal."]],
  options: [...clientOptions],
  epilogue: [
    "  sandbox why                     # the latest request that was refused",
    "  sandbox why evt-evening         # how a record came to be as it is",
    "",
    "Of a refusal: the checks in order with what each looked at, what the rule rests on, and",
    "the smallest change that works, tried on a copy of the world as it was.",
  ].join("\n"),
  run: explain,
};

async function explain({ args: [id], given, terminal }: Call): Promise<undefined> {
  const { ask, control } = clientOf(given);
  const found = await ask(
    id === undefined ? control.GET("/_sandbox/why") : control.GET("/_sandbox/why/{id}", { params: { path: { id } } }),
  );
  if (given.flag("json")) terminal.json(found);
  else terminal.print(whyShown(found, terminal));
}

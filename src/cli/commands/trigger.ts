// sandbox trigger: makes the thing happen that sends a webhook kind.
import { EVENT_KINDS } from "../../domain/kernel/kinds.ts";
import { clientOf } from "../client.ts";
import { type Call, type Command, clientOptions, setOption } from "../command.ts";
import { readSets } from "../set-paths.ts";
import { readKinds } from "../start-settings.ts";
import { type Done, outcome } from "../terminal/facts.ts";

export const trigger: Command = {
  name: "trigger",
  summary: "Make the thing happen that sends a webhook kind.",
  arguments: [["<kind>", "Such as v1.booking.created."]],
  options: [setOption, ...clientOptions],
  epilogue: [
    "Kinds:",
    ...EVENT_KINDS.map((kind) => `  ${kind}`),
    "",
    "For v1.event.completed the clock moves to the end of the event.",
  ].join("\n"),
  run: triggerKind,
};

async function triggerKind({ args, given, terminal }: Call): Promise<undefined> {
  const [kind = ""] = readKinds("trigger", args);
  const set = Object.fromEntries(readSets(given.list("set")));
  const done = await clientOf(given).ask<Done>("POST", "/_sandbox/trigger", { kind, set });
  if (given.flag("json")) terminal.json(done);
  else terminal.print(outcome(kind, done, terminal));
}

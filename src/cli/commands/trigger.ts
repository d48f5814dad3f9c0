// sandbox trigger: performs the action that causes a webhook kind.
import type { Schemas } from "../../client/control.ts";
import { EVENT_KINDS } from "../../engine/domain/kernel/kinds.ts";
import { clientOf } from "../client.ts";
import { type Call, type Command, clientOptions, setOption } from "../command.ts";
import { whoListens } from "../listeners.ts";
import { readSets } from "../set-paths.ts";
import { readKinds } from "../start-settings.ts";
import { outcome } from "../terminal/facts.ts";

export const trigger: Command = {
  name: "trigger",
  summary: "Perform the action that causes a webhook kind.",
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
  const client = clientOf(given);
  const body = { kind: kind as Schemas["Kind"], set };
  const done = await client.ask(client.control.POST("/_sandbox/trigger", { body }));
  if (given.flag("json")) return void terminal.json(done);
  terminal.print(outcome(kind, done, terminal));
  for (const line of await whoListens(client, done.facts)) terminal.print(line);
}

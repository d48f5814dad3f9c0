// sandbox world: isolated worlds in one server, each chosen by its own credentials.
import type { Schemas } from "../../client/control.ts";
import { optional } from "../../platform/optional.ts";
import type { Call, Option } from "../command.ts";
import { entryOf } from "../control-command.ts";
import { holds } from "../loaded.ts";
import { readClock, readSeed, startOptions } from "../start-settings.ts";
import { serverOf, serverOptions } from "../team-asking.ts";
import { columns, type Terminal } from "../terminal/terminal.ts";

const beginning: Option[] = startOptions.filter(({ name }) => ["clock", "seed"].includes(name));
const fixture: Option = {
  name: "fixture",
  kind: "text",
  placeholder: "name",
  default: undefined,
  meaning: "The world to begin with; default: the fixture that the sandbox was started with.",
};

const forked = ({ items }: Schemas["NewWorldList"], { terminal }: Call): string[] => [
  items.map((made) => madeText(made, terminal.paint)).join("\n\n"),
];

export const world = entryOf("world", { list: { show: listed }, fork: { show: forked } }, [
  {
    name: "create",
    summary: "Make a world, and print its credentials.",
    arguments: [["[id]", "Letters, digits, dots, dashes; default: a free one."]],
    options: [fixture, ...beginning, ...serverOptions],
    run: create,
  },
]);

function listed({ items }: Schemas["WorldList"], { terminal }: Call): string[] {
  const rows = items.map(({ id, fixture: name, now, mode, counts, used_at }) => [
    terminal.paint("bold", id),
    name,
    now === undefined ? `not open here, last used ${used_at}` : `${now}, ${mode}`,
    counts ? holds(counts) : "",
  ]);
  return columns(rows);
}

async function create(call: Call): Promise<undefined> {
  const { args, given, terminal } = call;
  const [clock, seed] = [readClock(given.text("clock")), readSeed(given.text("seed"))];
  const body = optional({ id: args[0], fixture: given.text("fixture"), clock, seed });
  const { ask, control } = serverOf(call);
  const made = await ask(control.POST("/_sandbox/worlds", { body }));
  if (given.flag("json")) terminal.json(made);
  else terminal.print(madeText(made, terminal.paint));
}

function madeText(
  { id, client_id, client_secret, url, token_url }: Schemas["NewWorld"],
  paint: Terminal["paint"],
): string {
  const rows = Object.entries({ API: url, Token: token_url, "Client id": client_id, "Client secret": client_secret });
  return [
    `World ${paint("bold", id)}`,
    ...columns(rows.map(([label, value]) => [`  ${paint("dim", label)}`, value])),
  ].join("\n");
}

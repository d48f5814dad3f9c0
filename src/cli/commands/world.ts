// sandbox world: isolated worlds in one server, each chosen by its own credentials.
import type { Schemas } from "../../client/control.ts";
import { optional } from "../../domain/kernel/optional.ts";
import { clientOf } from "../client.ts";
import { type Call, clientOptions, type Group, type Option } from "../command.ts";
import { Misuse } from "../fault.ts";
import { holds } from "../loaded.ts";
import { readClock, readSeed, startOptions } from "../start-settings.ts";
import { columns, type Terminal } from "../terminal/terminal.ts";

const serverOptions = clientOptions.filter(({ name }) => name !== "world");
const beginning: Option[] = startOptions.filter(({ name }) => ["clock", "seed"].includes(name));
const fixture: Option = {
  name: "fixture",
  kind: "text",
  placeholder: "name",
  default: undefined,
  meaning: "The world to begin with; default: the fixture that the sandbox was started with.",
};

export const world: Group = {
  name: "world",
  summary: "List, create, fork and remove isolated worlds.",
  usual: "list",
  members: [
    { name: "list", summary: "All worlds.", options: serverOptions, run: list },
    {
      name: "create",
      summary: "Make a world, and print its credentials.",
      arguments: [["[id]", "Letters, digits, dots, dashes; default: a free one."]],
      options: [fixture, ...beginning, ...serverOptions],
      run: create,
    },
    {
      name: "fork",
      summary: "Copy a world, and print the credentials of the copies.",
      arguments: [["[id]", "The world to copy; default: default."]],
      options: [
        { name: "count", kind: "number", placeholder: "N", default: 1, meaning: "How many copies." },
        {
          name: "at",
          kind: "text",
          placeholder: "moment",
          default: undefined,
          meaning: "Copy the world as it was at this moment of its history; default: now.",
        },
        ...serverOptions,
      ],
      run: fork,
    },
    {
      name: "rm",
      summary: "Remove a world and everything in it.",
      arguments: [["<id>", "World to remove."]],
      options: serverOptions,
      run: remove,
    },
  ],
};

/** A world is named by an argument here, so there is no --world. */
function serverOf({ given }: Call) {
  return clientOf({ ...given, text: (name) => (name === "world" ? "default" : given.text(name)) });
}

async function list(call: Call): Promise<undefined> {
  const { given, terminal } = call;
  const { ask, control } = serverOf(call);
  const { items } = await ask(control.GET("/_sandbox/worlds"));
  const rows = items.map(({ id, fixture: name, now, mode, counts, used_at }) => [
    terminal.paint("bold", id),
    name,
    now === undefined ? `not open here, last used ${used_at}` : `${now}, ${mode}`,
    counts ? holds(counts) : "",
  ]);
  if (given.flag("json")) terminal.json({ items });
  else for (const line of columns(rows)) terminal.print(line);
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

async function fork(call: Call): Promise<undefined> {
  const { args, given, terminal } = call;
  const copies = given.number("count");
  if (!Number.isInteger(copies) || copies < 1 || copies > 1000)
    throw new Misuse(`--count is ${copies}. Give a number from 1 to 1000.`);
  const { ask, control } = serverOf(call);
  const params = { path: { worldId: args[0] ?? "default" } };
  const body = { count: copies, ...optional({ at: given.text("at") }) };
  const { items } = await ask(control.POST("/_sandbox/worlds/{worldId}/fork", { params, body }));
  if (given.flag("json")) terminal.json({ items });
  else terminal.print(items.map((made) => madeText(made, terminal.paint)).join("\n\n"));
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

async function remove(call: Call): Promise<undefined> {
  const [id = ""] = call.args;
  const { ask, control } = serverOf(call);
  await ask(control.DELETE("/_sandbox/worlds/{worldId}", { params: { path: { worldId: id } } }));
  if (call.given.flag("json")) call.terminal.json({ id, removed: true });
  else call.terminal.print(`Removed world ${id}.`);
}

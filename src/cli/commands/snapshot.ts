// sandbox snapshot: named copies of a world, to come back to.
import { type Client, clientOf } from "../client.ts";
import { type Call, type Command, clientOptions, type Group } from "../command.ts";
import { holds, loadedText } from "../loaded.ts";
import { columns } from "../terminal/terminal.ts";

export const snapshot: Group = {
  name: "snapshot",
  summary: "Save, load, list and remove named copies of a world.",
  usual: "list",
  members: [
    onOne("save", "Save the world under a name.", save),
    onOne("load", "Go back to a snapshot.", load),
    { name: "list", summary: "The snapshots of the world.", options: clientOptions, run: list },
    onOne("rm", "Remove a snapshot.", remove),
  ],
};

type Work = (client: Client, name: string) => Promise<readonly [document: object, words: string]>;

function onOne(name: string, summary: string, work: Work): Command {
  return {
    name,
    summary,
    arguments: [["<name>", "Letters, digits, dots, dashes."]],
    options: clientOptions,
    async run({ args: [wanted = ""], given, terminal }) {
      const [document, words] = await work(clientOf(given), wanted);
      if (given.flag("json")) terminal.json(document);
      else terminal.print(words);
      return 0;
    },
  };
}

const named = (name: string) => ({ params: { path: { name } } });

async function save({ ask, control }: Client, name: string) {
  const saved = await ask(control.PUT("/_sandbox/snapshots/{name}", named(name)));
  return [saved, `Saved ${saved.name}: ${holds(saved.counts)}, at ${saved.now}.`] as const;
}

async function load({ ask, control }: Client, name: string) {
  const loaded = await ask(control.POST("/_sandbox/snapshots/{name}/restore", named(name)));
  return [loaded, loadedText("restored", loaded)] as const;
}

async function remove({ ask, control }: Client, name: string) {
  await ask(control.DELETE("/_sandbox/snapshots/{name}", named(name)));
  return [{ name, removed: true }, `Removed ${name}.`] as const;
}

async function list({ given, terminal }: Call): Promise<undefined> {
  const { ask, control } = clientOf(given);
  const { items } = await ask(control.GET("/_sandbox/snapshots"));
  const rows = items.map(({ name, now, counts }) => [terminal.paint("bold", name), `at ${now}`, holds(counts)]);
  if (given.flag("json")) terminal.json({ items });
  else for (const line of columns(rows)) terminal.print(line);
  if (items.length === 0) terminal.say("No snapshot yet. Make one with `sandbox snapshot save <name>`.");
}

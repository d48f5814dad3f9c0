// sandbox diff: what differs between two moments of the world.
import { clientOf } from "../client.ts";
import { type Call, type Command, clientOptions, fullOption } from "../command.ts";
import { diffLines, momentText } from "../terminal/history-shown.ts";
import { count } from "../terminal/terminal.ts";

export const MOMENT =
  "A number of `sandbox history`, an instant, the id of a request, an act or a clock move, the name of a snapshot, or now.";

export const diff: Command = {
  name: "diff",
  summary: "Compare two moments of the world.",
  arguments: [
    ["<from>", MOMENT],
    ["[to]", "A moment too. Default: now."],
  ],
  options: [{ ...fullOption, meaning: "Show values uncut." }, ...clientOptions],
  run: showDiff,
};

async function showDiff({ args: [from = "", to], given, terminal }: Call): Promise<undefined> {
  const { ask, control } = clientOf(given);
  const query = { from, ...(to === undefined ? {} : { to }) };
  const found = await ask(control.GET("/_sandbox/diff", { params: { query } }));
  if (given.flag("json")) {
    terminal.json(found);
    return;
  }
  for (const line of diffLines(found.changes, terminal, { full: given.flag("full") })) terminal.print(line);
  const differ = found.changes.length === 1 ? "1 record differs" : `${count(found.changes.length, "record")} differ`;
  terminal.say(`${differ} between ${momentText(found.from)} and ${momentText(found.to)}.`);
}

// sandbox history: the changes of a world, or the versions of one record.
import { clientOf } from "../client.ts";
import { type Call, type Command, clientOptions, fullOption } from "../command.ts";
import { commitLines, keptLine, versionLines } from "../terminal/history-shown.ts";

export const history: Command = {
  name: "history",
  summary: "Show what changed in the world, or the versions of one record.",
  arguments: [["[record]", "Id of a record, such as a booking, to show each of its versions."]],
  options: [
    { ...fullOption, meaning: "Show values uncut." },
    {
      name: "limit",
      kind: "number",
      placeholder: "N",
      default: 20,
      meaning: "The latest changes of the world, at most this many.",
    },
    ...clientOptions,
  ],
  epilogue:
    "The number in front names the moment right after a change, for `sandbox diff`, `sandbox rewind`\nand `sandbox world fork --at`. Times are those of the world's clock, in UTC.",
  run: showHistory,
};

const MOST = 1000;

async function showHistory({ args: [id], given, terminal }: Call): Promise<undefined> {
  const { ask, control } = clientOf(given);
  const limit = Math.min(Math.max(1, given.number("limit")), MOST);
  const shown =
    id === undefined
      ? await ask(control.GET("/_sandbox/history", { params: { query: { limit } } }))
      : await ask(control.GET("/_sandbox/history/{id}", { params: { path: { id } } }));
  if (given.flag("json")) {
    terminal.json(shown);
    return;
  }
  const lines =
    "collection" in shown
      ? versionLines(shown, terminal, { full: given.flag("full") })
      : commitLines(shown.items, terminal);
  for (const line of lines) terminal.print(line);
  terminal.say(keptLine(shown.kept));
}

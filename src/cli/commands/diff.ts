// sandbox diff and sandbox rewind: what differs between two moments of the world, and the world as it was at one.
import type { Schemas } from "../../client/control.ts";
import { type Call, fullOption } from "../command.ts";
import { entryOf } from "../control-command.ts";
import { diffLines, momentText } from "../terminal/history-shown.ts";
import { count } from "../terminal/terminal.ts";

export const diff = entryOf("diff", {
  diff: { show: differences, options: [{ ...fullOption, meaning: "Show values uncut." }] },
});
export const rewind = entryOf("rewind", { rewind: { show: rewound } });

function differences({ changes, from, to }: Schemas["Diff"], { given, terminal }: Call): string[] {
  const differ = changes.length === 1 ? "1 record differs" : `${count(changes.length, "record")} differ`;
  terminal.say(`${differ} between ${momentText(from)} and ${momentText(to)}.`);
  return diffLines(changes, terminal, { full: given.flag("full") });
}

function rewound({ to, undone, records, messages, undo, now, snapshot }: Schemas["Rewound"], { terminal }: Call) {
  if (messages > 0)
    terminal.say(
      `${count(messages, "message")} undone; receivers may have ${messages === 1 ? "it" : "them"}. Messages to come have new ids, while records get the same ones again.`,
    );
  terminal.say(`\`sandbox rewind ${undo.to}\` undoes it; the snapshot ${snapshot} has the world as it was before.`);
  const back = `${count(records, "record")} put back`;
  return [`Rewound to ${momentText(to)}: ${count(undone, "change")} undone, ${back}. It is ${now} now.`];
}

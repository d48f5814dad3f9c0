// The past of a world: its changes, the versions of a record, what differs between two moments, and the way back.
import type { Schemas } from "../../client/control.ts";
import { count } from "../../platform/count.ts";
import type { Answer } from "../answer.ts";
import { type Call, fullOption } from "../command.ts";
import { commitLines, diffLines, momentText, retainedLine, versionLines } from "../terminal/history-view.ts";
import { fitted } from "../terminal/terminal.ts";

type HistoryAnswer = Schemas["CommitList"] | Schemas["RecordHistory"];

const options = [{ ...fullOption, meaning: "Show values uncut." }];

function changed(answer: HistoryAnswer, { given, terminal }: Call): string[] {
  const full = given.flag("full");
  // With an id the answer is the history of one record, without it the list of changes.
  return "collection" in answer ? versionLines(answer, terminal, { full }) : commitLines(answer.items, terminal);
}

function differences({ changes, from, to }: Schemas["Diff"], { given, terminal }: Call): string[] {
  const differ = changes.length === 1 ? "1 record differs" : `${count(changes.length, "record")} differ`;
  terminal.say(`${differ} between ${momentText(from)} and ${momentText(to)}.`);
  return diffLines(changes, terminal, { full: given.flag("full") });
}

function rewound({ to, undone, records, messages, undo, now, snapshot }: Schemas["Rewound"], { terminal }: Call) {
  // A rewind can't take back what receivers have got already.
  if (messages > 0)
    terminal.say(
      `${count(messages, "message")} undone; receivers may have ${messages === 1 ? "it" : "them"}. Messages to come have new ids, while records get the same ones again.`,
    );
  terminal.say(`\`sandbox rewind ${undo.to}\` undoes it; the snapshot ${snapshot} has the world as it was before.`);
  const back = `${count(records, "record")} put back`;
  const line = `Rewound to ${momentText(to)}: ${count(undone, "change")} undone, ${back}. It is ${now} now.`;
  return [fitted(line, terminal.width)];
}

export const history: Readonly<Record<string, Answer>> = {
  history: { options, show: changed, say: ({ kept }: HistoryAnswer) => retainedLine(kept) },
  diff: { options, show: differences },
  rewind: { show: rewound },
};

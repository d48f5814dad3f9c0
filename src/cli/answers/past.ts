// The clock and the past of a world: moves, the difference between two points in time, and a rewind.
import type { Schemas } from "../../client/control.ts";
import { count } from "../../platform/count.ts";
import type { Answer } from "../answer.ts";
import { type Call, option } from "../command.ts";
import { diffLines, momentText } from "../terminal/history-view.ts";
import { receiptText } from "../terminal/receipt.ts";
import { fitted } from "../terminal/terminal.ts";

const options = [option.flag("full", "Show values uncut.")];

/** `3 bookings updated, 1 order created`. */
function summarize(changes: Schemas["Diff"]["changes"]): string {
  const kinds = new Map<string, number>();
  for (const { collection, change, internal } of changes) {
    const kind = internal ? "of the sandbox itself" : `${collection} ${change}`;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return [...kinds].map(([kind, number]) => `${number} ${kind}`).join(", ");
}

function differences({ changes, from, to }: Schemas["Diff"], { given, terminal }: Call): string[] {
  const differ = changes.length === 1 ? "1 record differs" : `${count(changes.length, "record")} differ`;
  const kinds = changes.length > 0 ? `: ${summarize(changes)}` : "";
  const summary = `${differ} between ${momentText(from)} and ${momentText(to)}${kinds}.`;
  return [fitted(summary, terminal.width), ...diffLines(changes, terminal, { full: given.flag("full") })];
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
  diff: { options, show: differences },
  rewind: { show: rewound },
};

const moved: Answer<Schemas["ClockMoved"]> = {
  show: (answer, { given, terminal }) => [receiptText(answer, given.flag("dry-run"), terminal)],
};

const switched: Answer<Schemas["ClockMoved"]> = {
  show: (answer, { terminal }) => [receiptText(answer, false, terminal)],
};

export const clock: Readonly<Record<string, Answer>> = {
  "clock advance": moved,
  "clock set": moved,
  "clock next": moved,
  "clock hold": switched,
  "clock run": switched,
};

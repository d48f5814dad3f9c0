// Shows clock moves, the differences between two points in time, and a rewind.
import type { Schemas } from "../../client/control.ts";
import { count } from "../../platform/count.ts";
import type { Answer } from "../answer.ts";
import { type Call, option } from "../command.ts";
import { formatDiff, formatPoint } from "../terminal/history-view.ts";
import { formatReceipt } from "../terminal/receipt.ts";
import { fitText } from "../terminal/terminal.ts";

const options = [option.flag("full", "Show values uncut.")];

/** `3 bookings updated, 1 order created`. */
function summarizeChanges(changes: Schemas["Diff"]["changes"]): string {
  const kinds = new Map<string, number>();
  for (const { collection, change, internal } of changes) {
    const kind = internal ? "internal" : `${collection} ${change}`;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return [...kinds].map(([kind, number]) => `${number} ${kind}`).join(", ");
}

function formatDifferences({ changes, from, to }: Schemas["Diff"], { given, terminal }: Call): string[] {
  const differ = changes.length === 1 ? "1 record differs" : `${count(changes.length, "record")} differ`;
  const kinds = changes.length > 0 ? `: ${summarizeChanges(changes)}` : "";
  const summary = `${differ} between ${formatPoint(from)} and ${formatPoint(to)}${kinds}.`;
  return [fitText(summary, terminal.width), ...formatDiff(changes, terminal, { full: given.flag("full") })];
}

function formatRewind({ to, undone, records, messages, undo, now, snapshot }: Schemas["Rewound"], { terminal }: Call) {
  // A rewind can't undo what receivers have already received.
  if (messages > 0)
    terminal.say(
      `${count(messages, "message")} undone; receivers may have received ${messages === 1 ? "it" : "them"}. New messages get new ids, new records reuse the ids.`,
    );
  terminal.say(
    `\`sandbox rewind ${undo.to}\` undoes it. The snapshot ${snapshot} is a copy of the world before the rewind.`,
  );
  const back = `${count(records, "record")} restored`;
  const line = `Rewound to ${formatPoint(to)}: ${count(undone, "change")} undone, ${back}. It is ${now} now.`;
  return [fitText(line, terminal.width)];
}

export const history: Readonly<Record<string, Answer>> = {
  diff: { options, show: formatDifferences },
  rewind: { show: formatRewind },
};

const clockMove: Answer<Schemas["ClockMoved"]> = {
  show: (answer, { given, terminal }) => [formatReceipt(answer, given.flag("dry-run"), terminal)],
};

const clockSwitch: Answer<Schemas["ClockMoved"]> = {
  show: (answer, { terminal }) => [formatReceipt(answer, false, terminal)],
};

export const clock: Readonly<Record<string, Answer>> = {
  "clock advance": clockMove,
  "clock set": clockMove,
  "clock next": clockMove,
  "clock hold": clockSwitch,
  "clock run": clockSwitch,
};

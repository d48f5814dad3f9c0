// Shows worlds, snapshots, clock moves, the differences between two points in time and a rewind, and exports the state of a world.
import type { Schemas } from "../../client/control.ts";
import { count } from "../../platform/count.ts";
import type { Answer } from "../answer.ts";
import { createClient } from "../client.ts";
import { type Call, option } from "../command.ts";
import { formatDiff, formatPoint, formatReceipt } from "../terminal/facts.ts";
import { formatLabels } from "../terminal/line.ts";
import { formatColumns } from "../terminal/terminal.ts";

type Loaded = Schemas["WorldLoaded"];

const formatCounts = ({ events = 0, bookings = 0 }: Schemas["Counts"]): string =>
  `${count(events, "event")} and ${count(bookings, "booking")}`;

const formatWorlds = ({ items }: Schemas["WorldList"], { terminal }: Call): string[] =>
  formatColumns(
    items.map(({ id, fixture: name, now, mode, counts, used_at }) => [
      terminal.paint("bold", id),
      name,
      // A world of a shared sandbox can be closed; its clock is then unknown.
      now === undefined ? `not open here, last used ${used_at}` : `${now}, ${mode}`,
      counts ? formatCounts(counts) : "",
    ]),
  );

function formatNewWorld(world: Schemas["NewWorld"], { terminal }: Call): string[] {
  const { id, client_id, client_secret, url, token_url } = world;
  const labels = { API: url, Token: token_url, "Client id": client_id, "Client secret": client_secret };
  return [`World ${terminal.paint("bold", id)}`, ...formatLabels(Object.entries(labels), terminal)];
}

const formatSnapshots = ({ items }: Schemas["SnapshotList"], { terminal }: Call): string[] =>
  formatColumns(
    items.map(({ name, now, counts }) => [terminal.paint("bold", name), `at ${now}`, formatCounts(counts)]),
  );

/** Describes a world after an import, a reset or a restore; `how` is the participle. */
export const describeLoadedWorld = (
  how: string,
  { id, fixture, now, mode, counts }: Omit<Loaded, "warnings" | "fixture_fingerprint">,
): string => `World ${id} is ${how}: ${fixture} with ${formatCounts(counts)}, at ${now}, ${mode}.`;

// Warnings are printed first, so that the result is the last line.
const createLoadAnswer = (how: string): Answer<Loaded> => ({
  settle(answer, _, { terminal }) {
    for (const warning of answer.warnings ?? []) terminal.say(`Warning: ${warning}`);
    return answer;
  },
  show: (answer) => [describeLoadedWorld(how, answer)],
});

async function exportState({ given, terminal }: Call): Promise<undefined> {
  const { ask, control } = createClient(given);
  // The document is printed as it was received, because parsing a large one takes seconds.
  const document = await ask(control.GET("/_sandbox/state", { parseAs: "text" }));
  terminal.write(`${String(document)}\n`);
  terminal.say("The document contains the secrets of webhook subscriptions. Keep it private.");
}

function formatDifferences({ changes, from, to }: Schemas["Diff"], { given, terminal }: Call): string[] {
  const kinds = new Map<string, number>();
  for (const { collection, change, internal } of changes) {
    const kind = internal ? "internal" : `${collection} ${change}`;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const differ = count(changes.length, "record differs", "records differ");
  // `3 bookings updated, 1 orders created`.
  const summary = [...kinds].map(([kind, number]) => `${number} ${kind}`).join(", ");
  const head = `${differ} between ${formatPoint(from)} and ${formatPoint(to)}${summary ? `: ${summary}` : ""}.`;
  return [head, ...formatDiff(changes, terminal, { full: given.flag("full") })];
}

function formatRewind({ to, undone, records, messages, undo, now, snapshot }: Schemas["Rewound"], { terminal }: Call) {
  if (messages > 0)
    terminal.say(
      `${count(messages, "message")} undone; receivers may have received them. New records reuse their ids.`,
    );
  terminal.say(
    `\`sandbox rewind ${undo.to}\` undoes it. The snapshot ${snapshot} is a copy of the world before the rewind.`,
  );
  const back = `${count(records, "record")} restored`;
  return [`Rewound to ${formatPoint(to)}: ${count(undone, "change")} undone, ${back}. It is ${now} now.`];
}

const formatMove = (answer: Schemas["ClockMoved"], { terminal }: Call) => [formatReceipt(answer, false, terminal)];
const clockMove: Answer<Schemas["ClockMoved"]> = {
  show: (answer, { given, terminal }) => [formatReceipt(answer, given.flag("dry-run"), terminal)],
};

export const worlds: Readonly<Record<string, Answer>> = {
  "world list": { show: formatWorlds },
  "world create": { show: formatNewWorld },
  // The worlds are separated by an empty line.
  "world fork": {
    show: ({ items }: Schemas["NewWorldList"], call) => [
      items.map((world) => formatNewWorld(world, call).join("\n")).join("\n\n"),
    ],
  },
  "world export": { run: exportState },
  "world import": createLoadAnswer("imported"),
  "world reset": createLoadAnswer("reset"),
  "snapshot list": { show: formatSnapshots },
  "snapshot load": createLoadAnswer("restored"),
  "snapshot save": {
    show: ({ name, counts, now }: Schemas["Snapshot"]) => [`Saved ${name}: ${formatCounts(counts)}, at ${now}.`],
  },
  "clock advance": clockMove,
  "clock set": clockMove,
  "clock next": clockMove,
  "clock hold": { show: formatMove },
  "clock run": { show: formatMove },
  diff: { options: [option.flag("full", "Show values uncut.")], show: formatDifferences },
  rewind: { show: formatRewind },
};

// Shows worlds and snapshots with their counts, new worlds with their credentials, and exports the state of a world.
import type { Schemas } from "../../client/control.ts";
import { count } from "../../platform/count.ts";
import type { Answer } from "../answer.ts";
import { createClient } from "../client.ts";
import type { Call } from "../command.ts";
import { Failure, toMessage } from "../failure.ts";
import { fitColumns, fitText } from "../terminal/terminal.ts";

type Loaded = Schemas["WorldLoaded"];

function formatCounts({ events = 0, bookings = 0 }: Schemas["Counts"]): string {
  return `${count(events, "event")} and ${count(bookings, "booking")}`;
}

function formatWorlds({ items }: Schemas["WorldList"], { terminal }: Call): string[] {
  const rows = items.map(({ id, fixture: name, now, mode, counts, used_at }) => [
    terminal.paint("bold", id),
    name,
    // A world of a shared sandbox can be closed; its clock is then unknown.
    now === undefined ? `not open here, last used ${used_at}` : `${now}, ${mode}`,
    counts ? formatCounts(counts) : "",
  ]);
  return fitColumns(rows, terminal.width);
}

function formatNewWorld(world: Schemas["NewWorld"], { terminal: { paint, width } }: Call): string[] {
  const { id, client_id, client_secret, url, token_url } = world;
  const rows = Object.entries({ API: url, Token: token_url, "Client id": client_id, "Client secret": client_secret });
  return [
    `World ${paint("bold", id)}`,
    ...fitColumns(
      rows.map(([label, value]) => [`  ${paint("dim", label)}`, value]),
      width,
    ),
  ];
}

// The worlds are separated by an empty line.
const formatForks = ({ items }: Schemas["NewWorldList"], call: Call): string[] => [
  items.map((world) => formatNewWorld(world, call).join("\n")).join("\n\n"),
];

const formatSnapshots = ({ items }: Schemas["SnapshotList"], { terminal }: Call): string[] =>
  fitColumns(
    items.map(({ name, now, counts }) => [terminal.paint("bold", name), `at ${now}`, formatCounts(counts)]),
    terminal.width,
  );

/** Describes a world after an import, a reset or a restore; `how` is the participle. */
export function describeLoadedWorld(
  how: string,
  { id, fixture, now, mode, counts }: Omit<Loaded, "warnings" | "fixture_fingerprint">,
): string {
  return `World ${id} is ${how}: ${fixture} with ${formatCounts(counts)}, at ${now}, ${mode}.`;
}

// Warnings are printed first, so that the result is the last line.
const createLoadAnswer = (how: string): Answer<Loaded> => ({
  settle(answer, _, { terminal }) {
    for (const warning of answer.warnings ?? []) terminal.say(`Warning: ${warning}`);
    return answer;
  },
  show: (answer, { terminal }) => [fitText(describeLoadedWorld(how, answer), terminal.width)],
});

async function exportState({ given, terminal }: Call): Promise<undefined> {
  const { ask, control } = createClient(given);
  // The document is streamed, because it can be longer than the longest string.
  const body = await ask(control.GET("/_sandbox/state", { parseAs: "stream" }));
  await terminal.streamBytes(body as ReadableStream<Uint8Array>).catch((error: unknown) => {
    throw new Failure(
      `The connection to the sandbox broke before the end of the document (${toMessage(error)}). Export it again.`,
    );
  });
  terminal.write("\n");
  terminal.say("The document contains the secrets of webhook subscriptions. Keep it private.");
}

export const worlds: Readonly<Record<string, Answer>> = {
  "world list": { show: formatWorlds },
  "world create": { show: formatNewWorld },
  "world fork": { show: formatForks },
  "world export": { run: exportState },
  "world import": createLoadAnswer("imported"),
  "world reset": createLoadAnswer("reset"),
  "snapshot list": { show: formatSnapshots },
  "snapshot load": createLoadAnswer("restored"),
  "snapshot save": {
    show: ({ name, counts, now }: Schemas["Snapshot"], { terminal }) => [
      fitText(`Saved ${name}: ${formatCounts(counts)}, at ${now}.`, terminal.width),
    ],
  },
};

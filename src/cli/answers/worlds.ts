// Worlds, their snapshots and their whole state: what each holds, and how a new one is reached.
import type { Schemas } from "../../client/control.ts";
import { count } from "../../platform/count.ts";
import type { Answer } from "../answer.ts";
import { createClient } from "../client.ts";
import type { Call } from "../command.ts";
import { Failure, toMessage } from "../failure.ts";
import { columnsWithin, fitted } from "../terminal/terminal.ts";

type Loaded = Schemas["WorldLoaded"];

function holds({ events = 0, bookings = 0 }: Schemas["Counts"]): string {
  return `${count(events, "event")} and ${count(bookings, "booking")}`;
}

function listed({ items }: Schemas["WorldList"], { terminal }: Call): string[] {
  const rows = items.map(({ id, fixture: name, now, mode, counts, used_at }) => [
    terminal.paint("bold", id),
    name,
    // A world of a shared sandbox may be open on no node; then only its row is known.
    now === undefined ? `not open here, last used ${used_at}` : `${now}, ${mode}`,
    counts ? holds(counts) : "",
  ]);
  return columnsWithin(rows, terminal.width);
}

function made(world: Schemas["NewWorld"], { terminal: { paint, width } }: Call): string[] {
  const { id, client_id, client_secret, url, token_url } = world;
  const rows = Object.entries({ API: url, Token: token_url, "Client id": client_id, "Client secret": client_secret });
  return [
    `World ${paint("bold", id)}`,
    ...columnsWithin(
      rows.map(([label, value]) => [`  ${paint("dim", label)}`, value]),
      width,
    ),
  ];
}

// One text, so that a blank line parts the worlds.
const forked = ({ items }: Schemas["NewWorldList"], call: Call): string[] => [
  items.map((world) => made(world, call).join("\n")).join("\n\n"),
];

const saved = ({ items }: Schemas["SnapshotList"], { terminal }: Call): string[] =>
  columnsWithin(
    items.map(({ name, now, counts }) => [terminal.paint("bold", name), `at ${now}`, holds(counts)]),
    terminal.width,
  );

/** One sentence for every way in which a whole state comes into a world. */
export function loadedText(
  how: string,
  { id, fixture, now, mode, counts }: Omit<Loaded, "warnings" | "fixture_fingerprint">,
): string {
  return `World ${id} is ${how}: ${fixture} with ${holds(counts)}, at ${now}, ${mode}.`;
}

// Warnings are on stderr before the sentence, which stays the last line.
const loaded = (how: string): Answer<Loaded> => ({
  settle(answer, _, { terminal }) {
    for (const warning of answer.warnings ?? []) terminal.say(`Warning: ${warning}`);
    return answer;
  },
  show: (answer, { terminal }) => [fitted(loadedText(how, answer), terminal.width)],
});

/** Writes the document to the standard output as it comes; nothing of it is held. */
async function exportState({ given, terminal }: Call): Promise<undefined> {
  const { ask, control } = createClient(given);
  // As a stream: the state of a world may be longer than a string can be.
  const body = await ask(control.GET("/_sandbox/state", { parseAs: "stream" }));
  await terminal.pour(body as ReadableStream<Uint8Array>).catch((error: unknown) => {
    throw new Failure(
      `The connection to the sandbox broke before the end of the document (${toMessage(error)}). Export it again.`,
    );
  });
  terminal.write("\n");
  terminal.say("The document holds the secrets of webhook subscriptions: keep it private.");
}

export const worlds: Readonly<Record<string, Answer>> = {
  "world list": { show: listed },
  "world create": { show: made },
  "world fork": { show: forked },
  "world export": { run: exportState },
  "world import": loaded("imported"),
  "world reset": loaded("reset"),
  "snapshot list": { show: saved },
  "snapshot load": loaded("restored"),
  "snapshot save": {
    show: ({ name, counts, now }: Schemas["Snapshot"], { terminal }) => [
      fitted(`Saved ${name}: ${holds(counts)}, at ${now}.`, terminal.width),
    ],
  },
};

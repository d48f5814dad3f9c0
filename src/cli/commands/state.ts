// sandbox state: a whole world as one JSON document.
import { readFileSync, statSync } from "node:fs";
import type { Schemas } from "../../client/control.ts";
import { STATE_LIMIT, STATE_TOO_LARGE } from "../../engine/settings.ts";
import { clientOf } from "../client.ts";
import { type Call, clientOptions } from "../command.ts";
import { entryOf } from "../control-command.ts";
import { Failure, Misuse, messageOf } from "../fault.ts";
import { loadedText } from "../loaded.ts";

export const state = entryOf("state", { reset: { show: (loaded: Loaded) => [loadedText("reset", loaded)] } }, [
  {
    name: "export",
    summary: "Print the world as one JSON document.",
    options: clientOptions,
    epilogue: "The document holds the secrets of webhook subscriptions, but no credentials and no\ntokens.",
    run: exportState,
  },
  {
    name: "import",
    summary: "Replace the world by an exported one.",
    arguments: [["<file>", "What `state export` printed; - reads it from stdin."]],
    options: clientOptions,
    run: importState,
  },
]);

type Loaded = Schemas["WorldLoaded"];

async function exportState({ given, terminal }: Call): Promise<undefined> {
  const { ask, control } = clientOf(given);
  const body = await ask(control.GET("/_sandbox/state", { parseAs: "stream" }));
  await terminal.pour(body as ReadableStream<Uint8Array>).catch((error: unknown) => {
    throw new Failure(
      `The connection to the sandbox broke before the end of the document (${messageOf(error)}). Export it again.`,
    );
  });
  terminal.write("\n");
  terminal.say("The document holds the secrets of webhook subscriptions: keep it private.");
}

async function importState({ args: [file = ""], given, terminal }: Call): Promise<undefined> {
  const document = readDocument(file);
  const { ask, control } = clientOf(given);
  const loaded = await ask(control.PUT("/_sandbox/state", { body: document as Schemas["WorldDocument"] }));
  for (const warning of loaded.warnings ?? []) terminal.say(`Warning: ${warning}`);
  if (given.flag("json")) terminal.json(loaded);
  else terminal.print(loadedText("imported", loaded));
}

function readDocument(file: string): unknown {
  if (file !== "-" && (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > STATE_LIMIT)
    throw new Misuse(`${file} ${STATE_TOO_LARGE}`);
  try {
    return JSON.parse(readFileSync(file === "-" ? 0 : file, "utf8"));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code !== undefined;
    const reason = isMissing ? `can't be read: ${messageOf(error)}` : `is not JSON: ${messageOf(error)}`;
    throw new Misuse(`${file} ${reason}. Give a file that \`sandbox state export\` wrote.`);
  }
}

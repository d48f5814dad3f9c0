// sandbox state: a whole world as one JSON document.
import { readFileSync, statSync } from "node:fs";
import { STATE_LIMIT, STATE_TOO_LARGE } from "../../settings.ts";
import { clientOf } from "../client.ts";
import { type Call, clientOptions, type Group } from "../command.ts";
import { Failure, Misuse, messageOf } from "../fault.ts";
import { type Loaded, loadedText } from "../loaded.ts";

export const state: Group = {
  name: "state",
  summary: "Export, import or reset a whole world.",
  members: [
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
    { name: "reset", summary: "Start the world over from its fixture.", options: clientOptions, run: resetState },
  ],
};

async function exportState({ given, terminal }: Call): Promise<undefined> {
  const answer = await clientOf(given).open("GET", "/_sandbox/state");
  await terminal.pour(answer.body as ReadableStream<Uint8Array>).catch((error: unknown) => {
    throw new Failure(`The sandbox went away in the middle of the document (${messageOf(error)}). Export it again.`);
  });
  terminal.write("\n");
  terminal.say("The document holds the secrets of webhook subscriptions: keep it to yourself.");
}

async function importState({ args: [file = ""], given, terminal }: Call): Promise<undefined> {
  const document = readDocument(file);
  const loaded = await clientOf(given).ask<Loaded>("PUT", "/_sandbox/state", document);
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

async function resetState({ given, terminal }: Call): Promise<undefined> {
  const loaded = await clientOf(given).ask<Loaded>("POST", "/_sandbox/state/reset");
  if (given.flag("json")) terminal.json(loaded);
  else terminal.print(loadedText("reset", loaded));
}

// sandbox export: the examples of the specification as a collection for Postman, Bruno or an editor.
import { existsSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { HttpOutcome } from "../../client/control.ts";
import { whyNotChoice } from "../../engine/setting-values.ts";
import { defaults } from "../../engine/settings.ts";
import { count } from "../../platform/count.ts";
import { makeFolder } from "../../platform/make-folder.ts";
import { sendRequest } from "../../platform/send-request.ts";
import { type Client, clientOf, credentialsOf } from "../client.ts";
import { type Call, type Command, clientOptions } from "../command.ts";
import { type Collection, collectionOf, type Files } from "../export/collection.ts";
import { Failure, Misuse, messageOf } from "../failure.ts";

/** The fixture that has the ids of the specification's examples. */
const EXAMPLES_OF = defaults.fixture;

export const FORMATS = ["postman", "bruno", "http"];

const NEXT: Readonly<Record<string, string>> = {
  postman: "In Postman: Import, choose both files, and select the environment at the top right.",
  bruno: "In Bruno: Open Collection, choose the folder, and select the environment `sandbox`.",
  http: "Open the file that is for your editor, and send the first request first.",
};

export const exportCommand: Command = {
  name: "export",
  summary: "Write a collection for Postman, Bruno or an editor.",
  arguments: [
    ["<format>", "postman, bruno or http."],
    ["<folder>", "Where to write it; files of an earlier export are replaced."],
  ],
  options: clientOptions,
  epilogue:
    "  sandbox export postman ./postman\n\nThe address, the client id and the secret of the world are in the environment, or at the head of the .http file.\nEvery request works in a new world of harbour-tours, which the examples are of.",
  run: writeCollection,
};

async function writeCollection({ args: [format = "", folder = ""], given, terminal }: Call): Promise<undefined> {
  const reason = whyNotChoice(format, FORMATS);
  if (reason !== undefined) throw new Misuse(`The format ${reason}`);
  // Before the sandbox is asked: a mistake in what was typed is found first.
  if (existsSync(folder) && !statSync(folder).isDirectory())
    throw new Misuse(`${folder} is a file. Name a folder; it is made where there is none.`);
  const client = clientOf(given);
  const [document, credentials, { fixture }] = await Promise.all([
    client.ask(documentOf(client)),
    credentialsOf(client),
    client.ask(client.control.GET("/_sandbox/worlds/{worldId}", { params: { path: { worldId: client.world } } })),
  ]);
  const [key] = credentials.items;
  if (!key) throw new Failure(`World ${client.world} has no key. Make one with \`sandbox act createKey\`.`);
  const { client_id, client_secret } = key;
  const collection = collectionOf(document, { base_url: client.url, client_id, client_secret });
  const files = await filesFor(format, collection);
  write(folder, files);
  const requests = collection.folders.flatMap(({ items }) => items).length;
  if (given.flag("json")) terminal.json({ format, folder, files: Object.keys(files), requests });
  else {
    terminal.print(`Wrote ${count(requests, "request")} to ${folder}.`);
    terminal.print(NEXT[format] ?? "");
  }
  if (fixture !== EXAMPLES_OF)
    terminal.say(
      `The ids in them are of ${EXAMPLES_OF}, and the world ${client.world} began with ${fixture}: requests that name one are refused. Write ids of your world, or export from one of \`sandbox world create --fixture ${EXAMPLES_OF}\`.`,
    );
}

/** As it binds the world. */
async function documentOf({ url, world, controlToken }: Client): Promise<HttpOutcome<Record<string, unknown>>> {
  // In a shared sandbox the document of a world is only for its team.
  const headers = controlToken ? { authorization: `Bearer ${controlToken}` } : {};
  const response = await sendRequest(`${url}/openapi.json?world=${encodeURIComponent(world)}`, { headers });
  const body = (await response.json()) as Record<string, unknown>;
  return response.ok ? { data: body, response } : { error: body, response };
}

async function filesFor(format: string, collection: Collection): Promise<Files> {
  // Each format is loaded when it is needed.
  if (format === "postman") return (await import("../export/postman.ts")).postmanFiles(collection);
  if (format === "bruno") return (await import("../export/bruno.ts")).brunoFiles(collection);
  return (await import("../export/http-file.ts")).httpFiles(collection);
}

function write(folder: string, files: Files): void {
  try {
    for (const [name, text] of Object.entries(files)) {
      makeFolder(dirname(join(folder, name)));
      writeFileSync(join(folder, name), text);
    }
  } catch (error) {
    throw new Failure(`The collection could not be written to ${folder}: ${messageOf(error)}.`);
  }
}

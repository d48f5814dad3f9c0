// sandbox call: sends a request to an operation of the public API, with a token of the world.
import { isForm as hasForm } from "../../contract/document/document.ts";
import { parseJson } from "../../platform/json.ts";
import { type Client, createClient, nameByOptions, sendAndBuffer } from "../client.ts";
import { type Call, type Command, clientOptions, nameWorld, option, setOption } from "../command.ts";
import { findByName, Misuse } from "../failure.ts";
import { describeTarget } from "../find-sandbox.ts";
import { type JsonMembers, readData, readSets, withSets } from "../input-options.ts";
import { assertInputFits, createTokenForm, fetchOperations, issueToken } from "../public-api.ts";
import { formatStatus } from "../terminal/line.ts";
import { formatOperation, formatOperationList, type PublicOperation } from "../terminal/operation-view.ts";
import type { Terminal } from "../terminal/terminal.ts";

export const call: Command = {
  name: "call",
  summary: "Call an operation of the API with a token of the world.",
  arguments: [["[operation]", "Such as createBooking; --list shows all."]],
  options: [
    option.flag("list", "List all operations, or show the input of the named one."),
    { ...setOption, meaning: `${setOption.meaning} Path, query and header parameters are fields too.` },
    option.text("data", "JSON", "The complete input, or @file; --set overrides single fields."),
    option.list("as", "a,b", "Scopes of the token; default: all of the key. `none` sends no token."),
    ...clientOptions,
  ],
  epilogue: [
    "  sandbox call getBooking --set bookingId=bkg-evening",
    "  sandbox call createBooking --data @booking.json --as booking.write",
    "  sandbox call createBooking --list",
    "",
    "Exit code 0 for a 2xx response, otherwise 1.",
  ].join("\n"),
  run: callOrList,
};

async function callOrList({ args: [name], given, terminal }: Call): Promise<number> {
  // The input is read first, so that nothing is sent if its JSON is invalid.
  const members = withSets(readData(given.text("data"), "event_id"), readSets(given.list("set")));
  const client = createClient(given, nameByOptions([], { scopes: "--as" }));
  const [isListing, json] = [given.flag("list"), given.flag("json")];
  if (name === undefined && !isListing)
    throw new Misuse(
      "Name an operation, as in sandbox call getBooking --set bookingId=bkg-1. `sandbox call --list` lists all operations.",
    );
  // Operations are those of the running sandbox, because an overlay can change its API description.
  const operations = await fetchOperations(client);
  const operation =
    name === undefined ? undefined : findByName(operations, ["id", name], "There is no operation", ADVICE);
  if (operation === undefined || isListing) return listOperations(operations, operation, json, terminal);
  assertInputFits(operation, members);
  const response = await send(client, operation, members, given.list("as"));
  await showResponse(response, operation.id, json, terminal);
  if (operation.method !== "GET" && response.ok && !json)
    terminal.say(describeTarget(nameWorld({ given }), client.url, given.source("url") === "default"));
  return response.ok ? 0 : 1;
}

const ADVICE = "`sandbox call --list` names all.";

async function send(
  client: Client,
  operation: PublicOperation,
  members: JsonMembers,
  as: readonly string[],
): Promise<Response> {
  // createToken takes a form, which gets the client id and secret of the world.
  const isForm = hasForm(operation.body);
  const all = isForm ? { ...(await createTokenForm(client)), ...members } : members;
  const { arrange } = await import("../../stories/scenario/index.ts");
  const { path, headers, body } = arrange(operation, all as Parameters<typeof arrange>[1]);
  const wanted = as.length > 0 ? as : operation.scopes;
  // A request without a token shows the 401 response.
  const token = as.includes("none") ? undefined : await issueToken(client, isForm ? [] : as, { wanted });
  return sendAndBuffer(`${client.url}${path}`, {
    method: operation.method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": `application/${isForm ? "x-www-form-urlencoded" : "json"}` }),
      ...headers,
    },
    ...(body === undefined
      ? {}
      : { body: isForm ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body) }),
  });
}

/** The status goes to stderr, so that a program behind a pipe gets only the body. */
async function showResponse(response: Response, id: string, json: boolean, terminal: Terminal): Promise<void> {
  const type = response.headers.get("content-type") ?? "";
  // The response can be a binary file.
  const bytes = Buffer.from(await response.arrayBuffer());
  const isText = /json|text|xml/.test(type);
  const body =
    bytes.length === 0 ? null : !isText ? `${bytes.length} bytes of ${type}` : parseJson(bytes.toString("utf8"));
  if (json) return terminal.json({ status: response.status, headers: Object.fromEntries(response.headers), body });
  const request = response.headers.get("sandbox-request-id");
  terminal.say(
    `${formatStatus(response.status, terminal.paint)} ${response.statusText}${request ? `  ${request}` : ""}`,
  );
  // A result for people to copy is not wrapped.
  if (body !== null) terminal.write(`${typeof body === "string" ? body : JSON.stringify(body, null, 2)}\n`);
  // The most frequent mistake is a misspelt field.
  if (response.status === 400) terminal.say(`\`sandbox call ${id} --list\` shows its fields.`);
}

function listOperations(
  operations: readonly PublicOperation[],
  found: PublicOperation | undefined,
  json: boolean,
  terminal: Terminal,
): number {
  if (json) terminal.json(found ? toSummary(found) : { items: operations.map(toSummary) });
  else terminal.print(found ? formatOperation(found, terminal) : formatOperationList(operations, terminal).join("\n"));
  return 0;
}

function toSummary({ id, method, path, summary, scopes, members, example }: PublicOperation) {
  return { operation_id: id, method, path, summary, scopes, members, example };
}

// sandbox call: one call of the public API with a token of the world, as a program would send it.

import { isForm as hasForm } from "../../contract/document/document.ts";
import { parseJson } from "../../platform/json.ts";
import { type Client, createClient, sendAndBuffer } from "../client.ts";
import { type Call, type Command, clientOptions, nameWorld, option, setOption } from "../command.ts";
import { Misuse } from "../failure.ts";
import { describeTarget } from "../find-sandbox.ts";
import { assertInputFits, fetchOperations, findOperation, type PublicOperation } from "../public-operations.ts";
import { type JsonMembers, readData, readSets, withSets } from "../set-paths.ts";
import { statusText } from "../terminal/line.ts";
import { inBrief, inFull } from "../terminal/operation-view.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { createTokenForm, issueToken } from "../token.ts";

export const call: Command = {
  name: "call",
  summary: "Call an operation of the API with a token of the world.",
  arguments: [["[operation]", "Such as createBooking; --list names all."]],
  options: [
    option.flag("list", "Name all operations, or show what the one that is named takes."),
    { ...setOption, meaning: `${setOption.meaning} Parameters of path, query and header are members too.` },
    option.text("data", "JSON", "The members as a whole, or @file; --set goes on top."),
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
  // Read before anything is sent, so that bad JSON costs no request.
  const [data, sets] = [readData(given.text("data"), "event_id"), readSets(given.list("set"))];
  const client = createClient(given);
  if (name === undefined && !given.flag("list"))
    throw new Misuse(
      "Which operation? `sandbox call --list` names all; write it as sandbox call getBooking --set bookingId=bkg-1.",
    );
  const operations = await fetchOperations(client);
  if (given.flag("list")) return list(operations, name, given.flag("json"), terminal);
  // The names are those of the running sandbox, whose document may have an overlay in force.
  const operation = findOperation(operations, name ?? "");
  const members = withSets(data, sets);
  assertInputFits(operation, members);
  const answer = await send(client, operation, members, given.list("as"));
  await show(answer, operation, { given, terminal });
  const isReading = operation.method.toLowerCase() === "get";
  if (!isReading && answer.ok && !given.flag("json"))
    terminal.say(describeTarget(nameWorld({ given }), client.url, given.source("url") === "default"));
  return answer.ok ? 0 : 1;
}

async function send(
  client: Client,
  operation: PublicOperation,
  members: JsonMembers,
  as: readonly string[],
): Promise<Response> {
  // createToken takes a form; it is sent with the key of the world.
  const isForm = hasForm(operation.body);
  const all = isForm ? { ...(await createTokenForm(client)), ...members } : members;
  // Members go where the operation has them: path, query, header or body.
  const { arrange } = await import("../../stories/scenario/index.ts");
  const { path, headers, body } = arrange(operation, all as Parameters<typeof arrange>[1]);
  const token =
    // An operation without a token is how one sees a 401.
    as.includes("none")
      ? undefined
      : await issueToken(client, isForm ? [] : as, { wanted: as.length > 0 ? as : operation.scopes });
  const request: RequestInit = { method: operation.method, redirect: "manual" };
  const sent: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  if (body !== undefined) {
    sent["content-type"] = isForm ? "application/x-www-form-urlencoded" : "application/json";
    request.body = isForm ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body);
  }
  return sendAndBuffer(`${client.url}${path}`, { ...request, headers: { ...sent, ...headers } });
}

/** The status is said on stderr, so that what follows a pipe gets the body alone. */
async function show(answer: Response, { id }: PublicOperation, { given, terminal }: Pick<Call, "given" | "terminal">) {
  const type = answer.headers.get("content-type") ?? "";
  // As bytes: an answer may be a file.
  const bytes = Buffer.from(await answer.arrayBuffer());
  const isText = /json|text|xml/.test(type);
  const body =
    bytes.length === 0 ? null : !isText ? `${bytes.length} bytes of ${type}` : parseJson(bytes.toString("utf8"));
  if (given.flag("json"))
    return terminal.json({ status: answer.status, headers: Object.fromEntries(answer.headers), body });
  const request = answer.headers.get("sandbox-request-id");
  terminal.say(`${statusText(answer.status, terminal.paint)} ${answer.statusText}${request ? `  ${request}` : ""}`);
  if (body !== null) terminal.print(typeof body === "string" ? body : JSON.stringify(body, null, 2));
  // The commonest reason is a member of another name.
  if (answer.status === 400) terminal.say(`\`sandbox call ${id} --list\` shows what it takes.`);
}

function list(
  operations: ReadonlyMap<string, PublicOperation>,
  name: string | undefined,
  json: boolean,
  terminal: Terminal,
): number {
  const found = name === undefined ? undefined : findOperation(operations, name);
  const all = [...operations.values()];
  if (json) terminal.json(found ? summaryOf(found) : { items: all.map(summaryOf) });
  else terminal.print(found ? inFull(found, terminal) : inBrief(all, terminal).join("\n"));
  return 0;
}

function summaryOf({ id, method, path, summary, scopes, members, example }: PublicOperation) {
  return { operation_id: id, method, path, summary, scopes, members, example };
}

// sandbox logs: the request log, and with --follow each new request.

import type { Schemas } from "../../client/control.ts";
import { shown } from "../../setting-values.ts";
import { type Client, clientOf } from "../client.ts";
import { type Call, type Command, clientOptions, fullOption } from "../command.ts";
import { askedToStop } from "../ending.ts";
import { Misuse } from "../fault.ts";
import { mustKnowOperation } from "../operations.ts";
import { showRequest } from "../request.ts";
import { follow } from "../stream.ts";
import { logLine } from "../terminal/log-line.ts";

export const logs: Command = {
  name: "logs",
  summary: "Show the requests received, or one of them as a whole.",
  arguments: [["[request]", "Id of one request, to show it with headers, bodies and what it caused."]],
  options: [
    fullOption,
    { name: "follow", kind: "flag", default: false, meaning: "Keep running, and print each new request." },
    {
      name: "filter-status",
      kind: "text",
      placeholder: "4xx",
      default: undefined,
      meaning: "Only this status, or class of statuses.",
    },
    {
      name: "filter-operation",
      kind: "text",
      placeholder: "id",
      default: undefined,
      meaning: "Only this operationId, such as createBooking.",
    },
    {
      name: "limit",
      kind: "number",
      placeholder: "N",
      default: 100,
      meaning: "The latest requests, at most this many.",
    },
    ...clientOptions,
  ],
  run: showLogs,
};

type Logged = Schemas["JournalRequest"];

interface Filter {
  status: string | undefined;
  operation: string | undefined;
  limit: number;
}

async function showLogs({ args, given, terminal }: Call): Promise<undefined> {
  const client = clientOf(given);
  if (args[0] !== undefined) return showRequest(client, args[0], { given, terminal });
  const filter = {
    status: readStatus(given.text("filter-status")),
    operation: given.text("filter-operation"),
    limit: readLimit(given.number("limit")),
  };
  if (filter.operation !== undefined) await mustKnowOperation(client, filter.operation, "--filter-operation: there is");
  const print = (logged: Logged) =>
    given.flag("json") ? terminal.json(logged) : terminal.print(logLine(logged, terminal));
  if (given.flag("follow")) return followLogs(client, filter, print, terminal.say);
  const items = await latest(client, filter);
  if (given.flag("json")) terminal.json({ items });
  else for (const item of items) print(item);
  if (items.length === 0) terminal.say("No request matches yet.");
}

function readStatus(text: string | undefined): string | undefined {
  if (text === undefined || /^[1-5](\d\d|xx)$/i.test(text)) return text?.toLowerCase();
  throw new Misuse(
    `--filter-status is ${shown(text)}, which is not a status. Write it as 404, or 4xx for all of them.`,
  );
}

function readLimit(limit: number): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= 1000) return limit;
  throw new Misuse(`--limit is ${limit}. Give a number from 1 to 1000.`);
}

async function latest(client: Client, { status, operation, limit }: Filter): Promise<Logged[]> {
  const query = { limit, ...(status ? { status } : {}), ...(operation ? { operation } : {}) };
  return (await client.ask(client.control.GET("/_sandbox/requests", { params: { query } }))).items;
}

/** The stream is open before the list is asked for, so that nothing falls between the two. */
async function followLogs(
  client: Client,
  filter: Filter,
  print: (logged: Logged) => void,
  say: (text: string) => void,
): Promise<undefined> {
  const ending = new AbortController();
  void askedToStop().then(() => ending.abort());
  const stream = await follow(client, ending.signal);
  const seen = new Set<string>();
  for (const item of await latest(client, filter)) {
    seen.add(item.id);
    print(item);
  }
  for await (const { type, data } of stream) {
    const logged = data as Logged;
    if (type === "request" && !seen.delete(logged.id) && fits(logged, filter)) print(logged);
  }
  if (!ending.signal.aborted) say("The sandbox has stopped.");
}

function fits({ status, operation }: Logged, wanted: Filter): boolean {
  const isStatus =
    wanted.status === undefined || new RegExp(`^${wanted.status.replace("xx", "\\d\\d")}$`).test(String(status));
  return isStatus && (wanted.operation === undefined || operation === wanted.operation);
}

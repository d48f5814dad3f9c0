// sandbox logs: the request log, and with --follow each new request.

import type { Schemas } from "../../client/control.ts";
import { isOfTool } from "../../client/tool-requests.ts";
import { shown } from "../../setting-values.ts";
import { type Client, clientOf } from "../client.ts";
import { type Call, type Command, clientOptions, fullOption } from "../command.ts";
import { askedToStop } from "../ending.ts";
import { Misuse } from "../fault.ts";
import { mustKnowOperation } from "../operations.ts";
import { showRequest } from "../request.ts";
import { followAcrossRestarts, reconnectOption } from "../stream.ts";
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
    { name: "all", kind: "flag", default: false, meaning: "Requests of the sandbox's own tools too." },
    reconnectOption,
    ...clientOptions,
  ],
  epilogue: "Times are those of the world's clock, in UTC.",
  run: showLogs,
};

type Logged = Schemas["JournalRequest"];

interface Filter {
  status: string | undefined;
  operation: string | undefined;
  limit: number;
  /** Requests of the sandbox's own tools too. */
  all: boolean;
}

const MOST = 1000;

async function showLogs({ args, given, terminal }: Call): Promise<undefined> {
  const client = clientOf(given);
  if (args[0] !== undefined) return showRequest(client, args[0], { given, terminal });
  const filter = {
    status: readStatus(given.text("filter-status")),
    operation: given.text("filter-operation"),
    limit: readLimit(given.number("limit")),
    all: given.flag("all"),
  };
  if (filter.operation !== undefined) await mustKnowOperation(client, filter.operation, "--filter-operation: there is");
  const print = (logged: Logged) =>
    given.flag("json") ? terminal.json(logged) : terminal.print(logLine(logged, terminal));
  const patience = given.number("reconnect");
  if (given.flag("follow")) return void (await followLogs(client, filter, { print, say: terminal.say, patience }));
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
  if (Number.isInteger(limit) && limit >= 1 && limit <= MOST) return limit;
  throw new Misuse(`--limit is ${limit}. Give a number from 1 to ${MOST}.`);
}

async function latest(client: Client, { status, operation, limit, all }: Filter): Promise<Logged[]> {
  // Those that are left out here must not use up the limit.
  const query = { limit: all ? limit : MOST, ...(status ? { status } : {}), ...(operation ? { operation } : {}) };
  const { items } = await client.ask(client.control.GET("/_sandbox/requests", { params: { query } }));
  return items.filter((logged) => all || !isTools(logged)).slice(-limit);
}

/** The stream is open before the list is asked for, so that nothing falls between the two; no request is printed twice. */
function followLogs(client: Client, filter: Filter, { print, say, patience }: Followed): Promise<void> {
  const ending = new AbortController();
  void askedToStop().then(() => ending.abort());
  let printed = new Set<string>();
  const printOnce = (logged: Logged) => {
    if (printed.has(logged.id)) return;
    // Only those that the log of the sandbox may hold still can come again.
    if (printed.size > 10 * MOST) printed = new Set([...printed].slice(-5 * MOST));
    printed.add(logged.id);
    print(logged);
  };
  let limit = filter.limit;
  return followAcrossRestarts(client, {
    signal: ending.signal,
    say,
    patience,
    async begin() {
      for (const item of await latest(client, { ...filter, limit })) printOnce(item);
      limit = MOST;
    },
    take({ type, data }) {
      if (type === "request" && fits(data as Logged, filter)) printOnce(data as Logged);
    },
  });
}

interface Followed {
  print(logged: Logged): void;
  say(text: string): void;
  /** In seconds. */
  patience: number;
}

function isTools({ path, request }: Logged): boolean {
  return isOfTool({ path, userAgent: String(request.headers["user-agent"] ?? "") });
}

function fits(logged: Logged, wanted: Filter): boolean {
  const { status, operation } = logged;
  if (!wanted.all && isTools(logged)) return false;
  const isStatus =
    wanted.status === undefined || new RegExp(`^${wanted.status.replace("xx", "\\d\\d")}$`).test(String(status));
  return isStatus && (wanted.operation === undefined || operation === wanted.operation);
}

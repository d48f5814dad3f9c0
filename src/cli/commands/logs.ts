// sandbox logs: what happened in a world, in one order, and with --follow each new entry; or its changes, or its messages.
import type { Schemas } from "../../client/control.ts";
import { rejectChoice } from "../../engine/settings.ts";
import { count } from "../../platform/count.ts";
import { optional } from "../../platform/optional.ts";
import { type Client, createClient } from "../client.ts";
import { type Call, type Command, clientOptions, option } from "../command.ts";
import { Misuse } from "../failure.ts";
import { FILTER_OPTIONS, type Filter, filterOptions, isKind, readFilter } from "../log-filter.ts";
import { assertOperation } from "../public-operations.ts";
import { nameByOptions } from "../rejection.ts";
import { readKinds } from "../start-settings.ts";
import { abortOnStop } from "../stop-signal.ts";
import { followAcrossRestarts, reconnectOption } from "../stream.ts";
import { commitLines, retainedLine } from "../terminal/history-view.ts";
import { dayBreaks } from "../terminal/line.ts";
import { isHealthCheck } from "../terminal/live-log.ts";
import { type LogEntry, logLine } from "../terminal/log-line.ts";
import { messageLines } from "../terminal/message-view.ts";
import { assertWritable, writeOutput } from "../whole-file.ts";

export const logs: Command = {
  name: "logs",
  summary: "Show requests, acts, clock moves and deliveries.",
  options: [
    option.flag("changes", "Show what changed, with the cause of each change."),
    option.flag("messages", "Show webhook messages with their deliveries."),
    option.flag("follow", "Keep running, and print each new entry."),
    ...filterOptions,
    option.text("har", "file", "Write the requests to a HAR file instead; without --limit all of them."),
    option.number("limit", "N", "The latest entries, at most this many.", { default: 100 }),
    option.flag("all", "Health checks too."),
    reconnectOption,
    ...clientOptions,
  ],
  epilogue: [
    "`sandbox show <id>` shows one of them with everything that it caused. The number",
    "of a change is a point in time for `sandbox diff` and `sandbox rewind`. Times are",
    "those of the world's clock, in UTC.",
    "",
    "  sandbox logs --failed --limit 10",
    "  sandbox logs --changes --touches bkg-evening",
    "  sandbox logs --har traffic.har",
    "  sandbox logs --messages --kinds v1.booking.created --filter-status given_up",
  ].join("\n"),
  run: (call) => {
    if (call.given.text("har") !== undefined) return exportHar(call);
    const list = LISTS.find(({ name }) => call.given.flag(name));
    return list === undefined ? showEntries(call) : showList(list, call);
  },
};

/** Options of a live list, which a file can't take. */
const NOT_FOR_HAR = ["changes", "messages", "follow", "all", "kinds", "json"];

async function exportHar({ given, terminal }: Call): Promise<undefined> {
  const file = given.text("har") ?? "";
  const other = NOT_FOR_HAR.find((name) => given.source(name) === "flag");
  if (other !== undefined) throw new Misuse(`--har does not take --${other}. Leave one of them out.`);
  assertWritable("--har", file);
  const client = createClient(given, nameByOptions(FILTER_OPTIONS));
  const limit = given.source("limit") === "flag" ? { limit: readLimit(given.number("limit")) } : {};
  const query = { ...readFilter(given), ...limit, format: "har" as const };
  const har = (await client.ask(client.control.GET("/_sandbox/log", { params: { query } }))) as unknown as {
    log: { entries: unknown[] };
  };
  writeOutput(file, `${JSON.stringify(har, null, 2)}\n`);
  terminal.say(`${count(har.log.entries.length, "request")} written to ${file}.`);
}

interface List {
  name: "changes" | "messages";
  /** The options that choose among its items. */
  takes: readonly string[];
  show(client: Client, call: Call): Promise<void>;
}

const LISTS: readonly List[] = [
  { name: "changes", takes: ["touches", "limit"], show: showChanges },
  { name: "messages", takes: ["kinds", "filter-status", "limit"], show: showMessages },
];

async function showList({ name, takes, show }: List, call: Call): Promise<undefined> {
  const { given } = call;
  const known = ["json", name, ...takes, ...clientOptions.map((each) => each.name)];
  const other = logs.options.find((each) => given.source(each.name) === "flag" && !known.includes(each.name));
  // An option without an effect is a misunderstanding.
  if (other !== undefined) throw new Misuse(`--${name} does not take --${other.name}. Leave one of them out.`);
  await show(
    createClient(given, nameByOptions({ ...FILTER_OPTIONS, kind: "--kinds", state: "--filter-status" })),
    call,
  );
}

async function showChanges({ ask, control }: Client, { given, terminal }: Call): Promise<void> {
  const query = optional({ touches: given.text("touches"), limit: readLimit(given.number("limit")) });
  const list = await ask(control.GET("/_sandbox/history", { params: { query } }));
  if (given.flag("json")) return terminal.json(list);
  for (const line of commitLines(list.items, terminal)) terminal.print(line);
  terminal.say(retainedLine(list.kept));
}

const STATES = ["pending", "delivered", "given_up", "dropped", "none"] as const;

async function showMessages({ ask, control }: Client, { given, terminal }: Call): Promise<void> {
  const [kinds, status] = [given.text("kinds"), given.text("filter-status")?.toLowerCase()];
  const state = STATES.find((each) => each === status);
  if (status !== undefined && state === undefined) throw new Misuse(`--filter-status ${rejectChoice(status, STATES)}`);
  const kind = kinds === undefined ? undefined : readKinds("--kinds", [kinds])[0];
  const query = optional({ kind, state, limit: readLimit(given.number("limit")) }) as object;
  const list = await ask(control.GET("/_sandbox/messages", { params: { query } }));
  if (given.flag("json")) return terminal.json(list);
  const { items, more = 0 } = list;
  if (items.length === 0)
    terminal.say(
      (kinds ?? status) ? "No message matches." : "No message yet. `sandbox trigger v1.booking.created` causes one.",
    );
  if (more > 0) terminal.say(`Not listed: ${count(more, "older message")}. --limit takes up to ${MOST}.`);
  for (const line of messageLines(items, terminal)) terminal.print(line);
}

/** Of one page of the control API. */
const MOST = 1000;

async function showEntries({ given, terminal }: Call): Promise<undefined> {
  const client = createClient(given, nameByOptions(FILTER_OPTIONS));
  const filter = readFilter(given);
  // A misspelt operation would look like an empty log.
  if (filter.operation !== undefined) await assertOperation(client, filter.operation, "--filter-operation: there is");
  const limit = readLimit(given.number("limit"));
  const dayOf = dayBreaks(terminal);
  const print = (entry: LogEntry) => {
    if (!given.flag("all") && isHealthCheck(entry)) return;
    if (given.flag("json")) terminal.json(entry);
    else for (const line of [...dayOf(entry), logLine(entry, terminal)]) terminal.print(line);
  };
  // Before the first line is out: whoever has seen it may stop at once.
  const signal = given.flag("follow") ? abortOnStop() : undefined;
  // `seq` is where the stream goes on, so nothing falls between list and stream.
  const query = { ...filter, limit };
  const { items, seq, dropped } = await client.ask(client.control.GET("/_sandbox/log", { params: { query } }));
  const wanted = items.filter((entry) => given.flag("all") || !isHealthCheck(entry));
  // One document; with --follow a document a line, since it has no end.
  if (given.flag("json") && !given.flag("follow")) return void terminal.json({ items: wanted, dropped });
  if (dropped.count > 0 && items.length < limit)
    terminal.say(`${count(dropped.count, "older entry", "older entries")} had to make room, and are no longer there.`);
  for (const item of wanted) print(item);
  if (signal) return followLogs(client, { ...filter, since: seq }, { given, terminal }, { signal, print });
  if (wanted.length === 0) terminal.say("Nothing in the log matches yet.");
}

function readLimit(limit: number): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MOST) return limit;
  throw new Misuse(`--limit is ${limit}. Give a number from 1 to ${MOST}.`);
}

/** The stream continues where the list ended, and where it was cut off: nothing is missed, and nothing printed twice. */
async function followLogs(
  client: Client,
  query: Filter & { since: number },
  { given, terminal: { say } }: Pick<Call, "given" | "terminal">,
  { signal, print }: { signal: AbortSignal; print(entry: LogEntry): void },
): Promise<undefined> {
  await followAcrossRestarts(client, {
    signal,
    query,
    say,
    patience: given.number("reconnect"),
    take({ type, data }) {
      if (isKind(type)) print(data as LogEntry);
      if (type !== "gap") return;
      const lost = count((data as { dropped: Schemas["Dropped"] }).dropped.count, "entry", "entries");
      say(`${lost} left out: the log had to drop them before they were read.`);
    },
  });
}

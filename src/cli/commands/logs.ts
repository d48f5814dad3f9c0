// sandbox logs: lists the log entries of a world, its changes or its messages, and with --follow prints new entries.
import type { Schemas } from "../../client/control.ts";
import { count } from "../../platform/count.ts";
import { optional } from "../../platform/optional.ts";
import { type Client, createClient, nameByOptions } from "../client.ts";
import { type Call, type Command, clientOptions, option } from "../command.ts";
import { Misuse } from "../failure.ts";
import type { Given } from "../options.ts";
import { readKinds } from "../start-settings.ts";
import { abortOnStop } from "../stop-signal.ts";
import { followAcrossRestarts, reconnectOption } from "../stream.ts";
import { describeRetained, formatCommits } from "../terminal/facts.ts";
import { createDayBreaks } from "../terminal/line.ts";
import { isHealthCheck } from "../terminal/live-log.ts";
import { formatLogEntry, type LogEntry } from "../terminal/log-line.ts";
import { formatMessages } from "../terminal/message-view.ts";
import { assertWritable, writeOutput } from "../whole-file.ts";

export const logs: Command = {
  name: "logs",
  summary: "Show requests, acts, clock moves and deliveries.",
  options: [
    option.flag("changes", "Show changes with their causes."),
    option.flag("messages", "Show webhook messages with their deliveries."),
    option.flag("follow", "Keep running and print new entries."),
    option.text("kinds", "a,b", "Only these kinds: request, act, clock, delivery or world."),
    option.text("filter-status", "4xx", "Only this status, such as 404, or this class of statuses."),
    option.text("filter-operation", "id", "Only this operationId, such as createBooking, or this act."),
    option.flag("failed", "Only failed or rejected entries."),
    option.text("touches", "id", "Only entries that name or changed the record with this id."),
    option.text("test", "name", "Only entries of this test."),
    option.text("har", "file", "Write requests to a HAR file instead; without --limit all of them."),
    option.number("limit", "N", "Show at most this many of the latest entries.", { default: 100 }),
    option.flag("all", "Include health checks."),
    reconnectOption,
    ...clientOptions,
  ],
  epilogue: [
    "`sandbox show <id>` shows an entry with everything that it caused. The number of a",
    "change is a point in time for `sandbox diff` and `sandbox rewind`. Times are on the",
    "world's clock, in UTC.",
    "",
    "  sandbox logs --failed --limit 10",
    "  sandbox logs --changes --touches bkg-evening",
    "  sandbox logs --har traffic.har",
    "  sandbox logs --messages --kinds v1.booking.created --filter-status given_up",
  ].join("\n"),
  run: runMode,
};

/** Names a rejected parameter by its option. */
const NAME_VALUE = nameByOptions(["kinds", "limit", "test", "touches"], {
  kind: "--kinds",
  operation: "--filter-operation",
  state: "--filter-status",
  status: "--filter-status",
});

/** Returns the query of the control API. The sandbox rejects unknown kinds and statuses. */
const readFilter = (given: Given) =>
  optional({
    kinds: given.text("kinds")?.split(",") as Schemas["EntryKind"][] | undefined,
    status: given.text("filter-status")?.toLowerCase(),
    operation: given.text("filter-operation"),
    failed: given.flag("failed") ? ("true" as const) : undefined,
    touches: given.text("touches"),
    test: given.text("test"),
  });

/** The options that a mode takes besides those of the connection. */
const MODES = {
  har: { takes: ["filter-status", "filter-operation", "failed", "touches", "test", "limit"], run: exportHar },
  changes: { takes: ["touches", "limit", "json"], run: showChanges },
  messages: { takes: ["kinds", "filter-status", "limit", "json"], run: showMessages },
};

async function runMode(call: Call): Promise<undefined> {
  const typed = logs.options.map(({ name }) => name).filter((name) => call.given.source(name) === "flag");
  const client = createClient(call.given, NAME_VALUE);
  const mode = (["har", "changes", "messages"] as const).find((name) => typed.includes(name));
  if (mode === undefined) return showEntries(client, call);
  // An option that has no effect is an error, because the user expects one.
  const known = [mode, ...MODES[mode].takes, "url", "world", "control-token"];
  const other = typed.find((name) => !known.includes(name));
  if (other) throw new Misuse(`--${mode} does not take --${other}. Leave one of them out.`);
  return MODES[mode].run(client, call);
}

async function exportHar({ ask, control }: Client, { given, terminal }: Call): Promise<undefined> {
  const file = given.text("har") ?? "";
  assertWritable("--har", file);
  const limit = given.source("limit") === "flag" ? { limit: given.number("limit") } : {};
  const query = { ...readFilter(given), ...limit, format: "har" as const };
  const har: unknown = await ask(control.GET("/_sandbox/log", { params: { query } }));
  writeOutput(file, `${JSON.stringify(har, null, 2)}\n`);
  const { entries } = (har as { log: { entries: unknown[] } }).log;
  terminal.say(`${count(entries.length, "request")} written to ${file}.`);
}

async function showChanges({ ask, control }: Client, { given, terminal }: Call): Promise<undefined> {
  const query = optional({ touches: given.text("touches"), limit: given.number("limit") });
  const list = await ask(control.GET("/_sandbox/history", { params: { query } }));
  if (given.flag("json")) return void terminal.json(list);
  for (const line of formatCommits(list.items, terminal)) terminal.print(line);
  terminal.say(describeRetained(list.kept));
}

async function showMessages({ ask, control }: Client, { given, terminal }: Call): Promise<undefined> {
  const [kind, state] = [given.text("kinds"), given.text("filter-status")?.toLowerCase()];
  if (kind !== undefined) readKinds("--kinds", [kind]);
  const query = optional({ kind, state, limit: given.number("limit") }) as object;
  const list = await ask(control.GET("/_sandbox/messages", { params: { query } }));
  if (given.flag("json")) return void terminal.json(list);
  const { items, more = 0 } = list;
  const none = (kind ?? state) ? "matches." : "yet. Send one with `sandbox trigger v1.booking.created`.";
  if (items.length === 0) terminal.say(`No message ${none}`);
  if (more > 0)
    terminal.say(`${count(more, "older message is", "older messages are")} not listed. --limit can be up to 1000.`);
  for (const line of formatMessages(items, terminal)) terminal.print(line);
}

async function showEntries(client: Client, { given, terminal }: Call): Promise<undefined> {
  const filter = readFilter(given);
  const limit = given.number("limit");
  const formatDayBreak = createDayBreaks(terminal);
  const isWanted = (entry: LogEntry) => given.flag("all") || !isHealthCheck(entry);
  const print = (entry: LogEntry) => {
    if (!isWanted(entry)) return;
    if (given.flag("json")) terminal.json(entry);
    else for (const line of [...formatDayBreak(entry), formatLogEntry(entry, terminal)]) terminal.print(line);
  };
  // Ctrl-C is handled before the first line is printed, because a user may press it right after that.
  const signal = given.flag("follow") ? abortOnStop() : undefined;
  // The stream continues at `seq`, so no entry is missed between the list and the stream.
  const query = { ...filter, limit };
  const { items, seq, dropped } = await client.ask(client.control.GET("/_sandbox/log", { params: { query } }));
  const wanted = items.filter(isWanted);
  // --json prints one document, with --follow one per line.
  if (given.flag("json") && !given.flag("follow")) return void terminal.json({ items: wanted, dropped });
  if (dropped.count > 0 && items.length < limit)
    terminal.say(`${count(dropped.count, "older entry is", "older entries are")} no longer in the log.`);
  for (const item of wanted) print(item);
  if (wanted.length === 0 && !signal) terminal.say("Nothing in the log matches yet.");
  if (!signal) return;
  await followAcrossRestarts(client, {
    signal,
    // After a reconnect the stream continues where it ended.
    query: { ...filter, since: seq },
    say: terminal.say,
    patience: given.number("reconnect"),
    take({ type, data }) {
      if (type === "gap") {
        const lost = count((data as { dropped: Schemas["Dropped"] }).dropped.count, "entry", "entries");
        terminal.say(`${lost} skipped: the log dropped them before they were read.`);
      } else if (type !== "hello" && type !== "fact") print(data as LogEntry);
    },
  });
}

// sandbox logs: what happened in a world, in one order, and with --follow each new entry; or one entry as a whole.
import type { Schemas } from "../../client/control.ts";
import { count } from "../../platform/count.ts";
import { type Client, clientOf } from "../client.ts";
import { type Call, type Command, clientOptions, fullOption, type Option, option } from "../command.ts";
import { stopSignal } from "../ending.ts";
import { Misuse } from "../failure.ts";
import { FILTER_OPTIONS, type Filter, filterOf, filterOptions, isKind } from "../log-filter.ts";
import { mustKnowOperation } from "../operations.ts";
import { nameByOptions } from "../rejection.ts";
import { followAcrossRestarts, reconnectOption } from "../stream.ts";
import { entryView } from "../terminal/entry-view.ts";
import { dayBreaks } from "../terminal/line.ts";
import { isHealthCheck } from "../terminal/live-log.ts";
import { type LogEntry, logLine } from "../terminal/log-line.ts";

/** These choose from the list. */
const LIST_OPTIONS: readonly Option[] = [
  option.flag("follow", "Keep running, and print each new entry."),
  ...filterOptions,
  option.number("limit", "N", "The latest entries, at most this many.", { default: 100 }),
];

export const logs: Command = {
  name: "logs",
  summary: "Show requests, acts, clock moves and deliveries.",
  arguments: [["[request]", "Id of one request, act, clock move or delivery, to show it as a whole."]],
  options: [fullOption, ...LIST_OPTIONS, option.flag("all", "Health checks too."), reconnectOption, ...clientOptions],
  epilogue: "Times are those of the world's clock, in UTC.",
  run: showLogs,
};

/** Of one page of the control API. */
const MOST = 1000;

async function showLogs({ args, given, terminal }: Call): Promise<undefined> {
  const client = clientOf(given, nameByOptions(FILTER_OPTIONS));
  const ofTheList = LIST_OPTIONS.map(({ name }) => name);
  // With an id it is another question, and the options of the list make no sense.
  if (args[0] !== undefined) return showEntry(client, args[0], { given, terminal, ofTheList });
  const filter = filterOf(given);
  // A misspelt operation would look like an empty log.
  if (filter.operation !== undefined) await mustKnowOperation(client, filter.operation, "--filter-operation: there is");
  const limit = readLimit(given.number("limit"));
  const dayOf = dayBreaks(terminal);
  const print = (entry: LogEntry) => {
    if (!given.flag("all") && isHealthCheck(entry)) return;
    if (given.flag("json")) terminal.json(entry);
    else for (const line of [...dayOf(entry), logLine(entry, terminal)]) terminal.print(line);
  };
  // Before the first line is out: whoever has seen it may stop at once.
  const stopped = given.flag("follow") ? stopSignal() : undefined;
  // `seq` is where the stream goes on, so nothing falls between list and stream.
  const { items, seq, dropped } = await latest(client, filter, limit);
  const wanted = items.filter((entry) => given.flag("all") || !isHealthCheck(entry));
  // One document; with --follow a document a line, since it has no end.
  if (given.flag("json") && !given.flag("follow")) return void terminal.json({ items: wanted, dropped });
  if (dropped.count > 0 && items.length < limit)
    terminal.say(`${count(dropped.count, "older entry", "older entries")} had to make room, and are no longer there.`);
  for (const item of wanted) print(item);
  if (stopped)
    return void (await followLogs(client, {
      filter,
      stopped,
      since: seq,
      print,
      say: terminal.say,
      patience: given.number("reconnect"),
    }));
  if (wanted.length === 0) terminal.say("Nothing in the log matches yet.");
}

function readLimit(limit: number): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MOST) return limit;
  throw new Misuse(`--limit is ${limit}. Give a number from 1 to ${MOST}.`);
}

const latest = (client: Client, filter: Filter, limit: number) =>
  client.ask(client.control.GET("/_sandbox/log", { params: { query: { ...filter, limit } } }));

interface Followed {
  filter: Filter;
  stopped: Promise<unknown>;
  since: number;
  print(entry: LogEntry): void;
  say(text: string): void;
  /** In seconds. */
  patience: number;
}

/** The stream goes on where the list ended, and where it was cut off: nothing is missed, and nothing printed twice. */
function followLogs(client: Client, { filter, stopped, since, print, say, patience }: Followed): Promise<void> {
  const ending = new AbortController();
  void stopped.then(() => ending.abort());
  return followAcrossRestarts(client, {
    signal: ending.signal,
    query: { ...filter, since },
    say,
    patience,
    begin: async () => undefined,
    take({ type, data }) {
      if (type === "gap")
        say(
          `${count((data as Gap).dropped.count, "entry", "entries")} left out: the log had to drop them before they were read.`,
        );
      else if (isKind(type)) print(data as LogEntry);
    },
  });
}

interface Gap {
  dropped: Schemas["Dropped"];
}

/** With the messages that it caused, as far as they are still kept. */
async function showEntry(
  client: Client,
  id: string,
  { given, terminal, ofTheList }: Pick<Call, "given" | "terminal"> & { ofTheList: readonly string[] },
): Promise<undefined> {
  // An option that has no effect is a misunderstanding.
  const odd = ofTheList.find((name) => given.source(name) === "flag");
  if (odd !== undefined) throw new Misuse(`--${odd} is for the list; with the id of one entry, leave it out.`);
  const { ask, control } = client;
  const entry = await ask(control.GET("/_sandbox/log/{id}", { params: { path: { id } } }));
  if (given.flag("json")) return void terminal.json(entry);
  const messages = "messages" in entry ? entry.messages : [];
  const matching = await Promise.all(
    // One that the sandbox has dropped meanwhile is left out.
    messages.slice(0, MOST_MESSAGES).map(async (messageId) => {
      const { data } = await control.GET("/_sandbox/messages/{messageId}", { params: { path: { messageId } } });
      return data ?? [];
    }),
  );
  const line = { ...entry, ...("messages" in entry ? { messages: messages.slice(0, MOST_MESSAGES) } : {}) };
  terminal.print(entryView(line, matching.flat(), terminal, { full: given.flag("full") }));
  if (messages.length > MOST_MESSAGES)
    terminal.print(`  … and ${messages.length - MOST_MESSAGES} more messages; --json lists them.`);
}

/** A move of the clock can cause thousands. */
const MOST_MESSAGES = 50;

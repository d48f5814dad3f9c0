// One entry of the log as a whole, for a person; a request has a file of its own.
import type { Schemas } from "../../client/control.ts";
import { bodyLines, type Size, sentenceLines, titled } from "./document-lines.ts";
import { plain } from "./line.ts";
import { logLine } from "./log-line.ts";
import { receiptText } from "./receipt.ts";
import { messageLines, requestView } from "./request-view.ts";
import { columns, type Terminal } from "./terminal.ts";

type Screen = Pick<Terminal, "paint" | "width">;

/** `messages` are those it caused that are still kept. */
export function entryView(
  entry: Schemas["LogEntry"],
  messages: readonly Schemas["Message"][],
  screen: Screen,
  size: Size,
): string {
  // Without a default, so that a new kind does not compile before it has a view.
  switch (entry.kind) {
    case "request":
      return requestView(entry, messages, screen, size);
    case "act":
      return actView(entry, messages, screen, size);
    case "clock":
      return clockView(entry, messages, screen);
    case "delivery":
      return [logLine(entry, screen), ...headOf(entry, screen), `\nsandbox messages ${entry.message_id}`].join("\n");
    case "world":
      return [logLine(entry, screen), ...headOf(entry, screen)].join("\n");
  }
}

function headOf({ id, at, wall_at, test }: Schemas["LogEntry"], { paint }: Screen, more: string[][] = []): string[] {
  const rows = [["id", id], ["at", at], ["real time", wall_at], ...(test === null ? [] : [["test", test]]), ...more];
  return columns(rows.map(([label = "", value = ""]) => [`  ${paint("dim", label)}`, plain(value)]));
}

function actView(
  act: Schemas["ActEntry"],
  messages: readonly Schemas["Message"][],
  screen: Screen,
  size: Size,
): string {
  const { paint, width } = screen;
  const outcome = act.status === "done" ? paint("green", "done") : paint("yellow", "refused");
  const facts = columns(act.facts.map(({ fact, id }) => [paint("green", fact), id]));
  return [
    `${outcome}  ${paint("bold", plain(act.act))}`,
    ...headOf(act, screen),
    ...titled("Error", sentenceLines([act.code, act.message].filter(Boolean).join(": "), width), screen),
    ...titled("Input", bodyLines(act.input, screen, size), screen),
    ...titled("Result", bodyLines(act.result, screen, size), screen),
    ...titled("Facts", facts, screen),
    ...titled("Messages", messageLines(act, messages, screen), screen),
  ].join("\n");
}

function clockView(move: Schemas["ClockEntry"], messages: readonly Schemas["Message"][], screen: Screen): string {
  const { from, to, mode, by, receipt = [] } = move;
  const who = by === "tick" ? "real time, on a running clock" : `${by.kind} ${by.id}`;
  return [
    `${screen.paint("magenta", "clock")}  ${from} → ${to}`,
    ...headOf(move, screen, [["moved by", who]]),
    "",
    receiptText({ now: to, mode, receipt }, false, screen),
    ...titled("Messages", messageLines(move, messages, screen), screen),
  ].join("\n");
}

// One entry of the log as a whole, for a person; a request has a file of its own.

import type { Schemas } from "../../client/control.ts";
import { bodyLines, type Size, sentenceLines, titled } from "./document-lines.ts";
import type { Look } from "./line.ts";
import { plain } from "./line.ts";
import { logLine } from "./log-line.ts";
import { receiptText } from "./receipt.ts";
import { requestView } from "./request-view.ts";
import { columns } from "./terminal.ts";

export function entryView(entry: Schemas["LogEntry"], look: Look, size: Size): string {
  // Without a default, so that a new kind does not compile before it has a view.
  switch (entry.kind) {
    case "request":
      return requestView(entry, look, size);
    case "act":
      return actView(entry, look, size);
    case "clock":
      return clockView(entry, look);
    case "delivery":
      return [logLine(entry, look), ...headOf(entry, look), `\nsandbox show ${entry.message_id}`].join("\n");
    case "world":
      return [logLine(entry, look), ...headOf(entry, look)].join("\n");
  }
}

function headOf({ id, at, wall_at, test }: Schemas["LogEntry"], { paint }: Look, more: string[][] = []): string[] {
  const rows = [["id", id], ["at", at], ["real time", wall_at], ...(test === null ? [] : [["test", test]]), ...more];
  return columns(rows.map(([label = "", value = ""]) => [`  ${paint("dim", label)}`, plain(value)]));
}

function actView(act: Schemas["ActEntry"], look: Look, size: Size): string {
  const { paint, width } = look;
  const outcome = act.status === "done" ? paint("green", "done") : paint("yellow", "refused");
  return [
    `${outcome}  ${paint("bold", plain(act.act))}`,
    ...headOf(act, look),
    ...titled("Error", sentenceLines([act.code, act.message].filter(Boolean).join(": "), width), look),
    ...titled("Input", bodyLines(act.input, look, size), look),
    ...titled("Result", bodyLines(act.result, look, size), look),
  ].join("\n");
}

function clockView(move: Schemas["ClockEntry"], look: Look): string {
  const { from, to, mode, by, counts, receipt = [] } = move;
  const who = by === "tick" ? "real time, on a running clock" : `${by.kind} ${by.id}`;
  return [
    `${look.paint("magenta", "clock")}  ${from} → ${to}`,
    ...headOf(move, look, [["moved by", who]]),
    "",
    receiptText({ now: to, mode, counts, receipt }, false, look),
  ].join("\n");
}

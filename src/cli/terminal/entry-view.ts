// One entry of the log in full, for a person.
import type { Schemas } from "../../client/control.ts";
import { bodyLines, headerLines, labelLines, type Size, sentenceLines, titled } from "./document-lines.ts";
import { type Look, plain, statusText } from "./line.ts";
import { logLine } from "./log-line.ts";
import { receiptText } from "./receipt.ts";

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
      return [logLine(entry, look), ...headLines(entry, look), `\nsandbox show ${entry.message_id}`].join("\n");
    case "world":
      return [logLine(entry, look), ...headLines(entry, look)].join("\n");
  }
}

/** `more`: what this kind of entry has besides. */
function headLines(entry: Schemas["LogEntry"], look: Look, more: Readonly<Record<string, string>> = {}): string[] {
  const { id, at, wall_at, test } = entry;
  return labelLines({ id, at, "real time": wall_at, test, ...more }, look);
}

function actView(act: Schemas["ActEntry"], look: Look, size: Size): string {
  const { paint, width } = look;
  const outcome = act.status === "done" ? paint("green", "done") : paint("yellow", "refused");
  return [
    `${outcome}  ${paint("bold", plain(act.act))}`,
    ...headLines(act, look),
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
    ...headLines(move, look, { "moved by": who }),
    "",
    receiptText({ now: to, mode, counts, receipt }, false, look),
  ].join("\n");
}

function requestView(logged: Schemas["RequestEntry"], look: Look, size: Size): string {
  const { request, answer, violations = [], notes = [] } = logged;
  const { width } = look;
  return [
    ...requestHead(logged, look),
    ...titled("Error", sentenceLines(reasonOf(logged), width), look),
    ...titled(
      "Violations",
      violations.flatMap(({ code, message }) => sentenceLines(`${message} (${code})`, width)),
      look,
    ),
    ...titled(
      "Notes",
      notes.flatMap((note) => sentenceLines(note, width)),
      look,
    ),
    ...titled("Request", request ? formatParts(request, look, size) : [], look),
    ...titled("Response", answer ? formatParts(answer, look, size) : ["none: the connection was closed"], look),
  ].join("\n");
}

function requestHead(logged: Schemas["RequestEntry"], look: Look): string[] {
  const { method, path, status, operation, at, wall_at, client_id, duration_ms, id, test } = logged;
  const labels = {
    id,
    operation: operation ?? "none: not a path of the API",
    at: `${at} (${duration_ms.toFixed(1)} ms)`,
    "real time": wall_at,
    client: client_id ?? "none: no valid token",
    test,
  };
  const title = `${statusText(status, look.paint)}  ${look.paint("bold", plain(method))} ${plain(path)}`;
  return [title, ...labelLines(labels, look)];
}

/** The code and the sentence of an error response; violations say it by themselves. */
function reasonOf({ code, message, violations = [] }: Schemas["RequestEntry"]): string {
  return violations.length > 0 ? "" : [code, message].filter(Boolean).join(": ");
}

function formatParts(part: { headers: object; body?: unknown }, look: Look, size: Size): string[] {
  const headers = headerLines(part.headers as Record<string, unknown>, look, size);
  const body = bodyLines(part.body, look, size);
  return [...headers, ...(headers.length > 0 && body.length > 0 ? [""] : []), ...body];
}

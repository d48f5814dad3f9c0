// Formats one log entry in full, with its request, response, input or result.
import type { Schemas } from "../../client/control.ts";
import { type Detail, formatBlock, formatBody, formatHeaders, formatLabels, wrapSentence } from "./document-lines.ts";
import { escapeText, formatStatus, type Look } from "./line.ts";
import { formatLogEntry } from "./log-line.ts";
import { formatReceipt } from "./receipt.ts";

export function formatEntry(entry: Schemas["LogEntry"], look: Look, size: Detail): string {
  // The switch has no default, so a new kind of entry is a compile error until it is formatted here.
  switch (entry.kind) {
    case "request":
      return formatRequest(entry, look, size);
    case "act":
      return formatAct(entry, look, size);
    case "clock":
      return formatClockMove(entry, look);
    case "delivery":
      return [formatLogEntry(entry, look), ...formatHead(entry, look), `\nsandbox show ${entry.message_id}`].join("\n");
    case "world":
      return [formatLogEntry(entry, look), ...formatHead(entry, look)].join("\n");
  }
}

/** Formats the labels that all entries share; `more` adds those of one kind. */
function formatHead(entry: Schemas["LogEntry"], look: Look, more: Readonly<Record<string, string>> = {}): string[] {
  const { id, at, wall_at, test } = entry;
  return formatLabels({ id, at, "real time": wall_at, test, ...more }, look);
}

function formatAct(act: Schemas["ActEntry"], look: Look, size: Detail): string {
  const { paint, width } = look;
  const outcome = act.status === "done" ? paint("green", "done") : paint("yellow", "rejected");
  return [
    `${outcome}  ${paint("bold", escapeText(act.act))}`,
    ...formatHead(act, look),
    ...formatBlock("Error", wrapSentence([act.code, act.message].filter(Boolean).join(": "), width), look),
    ...formatBlock("Input", formatBody(act.input, look, size), look),
    ...formatBlock("Result", formatBody(act.result, look, size), look),
  ].join("\n");
}

function formatClockMove(move: Schemas["ClockEntry"], look: Look): string {
  const { from, to, mode, by, counts, receipt = [] } = move;
  const who = by === "tick" ? "real time, on a running clock" : `${by.kind} ${by.id}`;
  return [
    `${look.paint("magenta", "clock")}  ${from} → ${to}`,
    ...formatHead(move, look, { "moved by": who }),
    "",
    formatReceipt({ now: to, mode, counts, receipt }, false, look),
  ].join("\n");
}

function formatRequest(logged: Schemas["RequestEntry"], look: Look, size: Detail): string {
  const { request, answer, violations = [], notes = [] } = logged;
  const { width } = look;
  return [
    ...formatRequestHead(logged, look),
    ...formatBlock("Error", wrapSentence(formatReason(logged), width), look),
    ...formatBlock(
      "Violations",
      violations.flatMap(({ code, message }) => wrapSentence(`${message} (${code})`, width)),
      look,
    ),
    ...formatBlock(
      "Notes",
      notes.flatMap((note) => wrapSentence(note, width)),
      look,
    ),
    ...formatBlock("Request", request ? formatParts(request, look, size) : [], look),
    ...formatBlock("Response", answer ? formatParts(answer, look, size) : ["none: the connection was closed"], look),
  ].join("\n");
}

function formatRequestHead(logged: Schemas["RequestEntry"], look: Look): string[] {
  const { method, path, status, operation, at, wall_at, client_id, duration_ms, id, test } = logged;
  const labels = {
    id,
    operation: operation ?? "none: not a path of the API",
    at: `${at} (${duration_ms.toFixed(1)} ms)`,
    "real time": wall_at,
    client: client_id ?? "none: no valid token",
    test,
  };
  const title = `${formatStatus(status, look.paint)}  ${look.paint("bold", escapeText(method))} ${escapeText(path)}`;
  return [title, ...formatLabels(labels, look)];
}

/** Returns the code and message of an error response; empty if violations are listed, because the message repeats them. */
function formatReason({ code, message, violations = [] }: Schemas["RequestEntry"]): string {
  return violations.length > 0 ? "" : [code, message].filter(Boolean).join(": ");
}

function formatParts(part: { headers: object; body?: unknown }, look: Look, size: Detail): string[] {
  const headers = formatHeaders(part.headers as Record<string, unknown>, look, size);
  const body = formatBody(part.body, look, size);
  return [...headers, ...(headers.length > 0 && body.length > 0 ? [""] : []), ...body];
}

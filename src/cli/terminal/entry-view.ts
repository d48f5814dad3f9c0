// Formats one log entry in full, with its request, response, input or result.
import type { Schemas } from "../../client/control.ts";
import { type Detail, formatBlock, formatBody, formatLabels, formatParts } from "./document-lines.ts";
import { formatReceipt } from "./facts.ts";
import { escapeText, formatStatus, type Look } from "./line.ts";
import { formatLogEntry } from "./log-line.ts";

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
  return formatLabels(Object.entries({ id, at, "real time": wall_at, test, ...more }), look);
}

function formatAct(act: Schemas["ActEntry"], look: Look, size: Detail): string {
  const { paint } = look;
  const outcome = act.status === "done" ? paint("green", "done") : paint("yellow", "rejected");
  return [
    `${outcome}  ${paint("bold", escapeText(act.act))}`,
    ...formatHead(act, look),
    ...formatBlock("Error", formatReason(act), look),
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
  const { method, path, status, operation, client_id, duration_ms, request, answer } = logged;
  const { violations = [], notes = [] } = logged;
  const more = {
    operation: operation ?? "none: not a path of the API",
    duration: `${duration_ms.toFixed(1)} ms`,
    client: client_id ?? "none: no valid token",
  };
  const wrong = violations.map(({ code, message }) => escapeText(`${message} (${code})`));
  return [
    `${formatStatus(status, look.paint)}  ${look.paint("bold", escapeText(method))} ${escapeText(path)}`,
    ...formatHead(logged, look, more),
    // The message only sums up the violations.
    ...formatBlock("Error", violations.length > 0 ? [] : formatReason(logged), look),
    ...formatBlock("Violations", wrong, look),
    ...formatBlock("Notes", notes.map(escapeText), look),
    ...formatBlock("Request", request ? formatParts(request, look, size) : [], look),
    ...formatBlock("Response", answer ? formatParts(answer, look, size) : ["none: the connection was closed"], look),
  ].join("\n");
}

function formatReason({ code, message }: Pick<Schemas["RequestEntry"], "code" | "message">): string[] {
  const reason = [code, message].filter(Boolean).join(": ");
  return reason === "" ? [] : [escapeText(reason)];
}

// Formats one log entry in full, with its request, response, input or result.
import { type Detail, formatBlock, formatBody, formatLabels, formatParts, type LabelRow } from "./document-lines.ts";
import { formatReceipt } from "./facts.ts";
import type { Look } from "./line.ts";
import { formatLogEntry, type LogEntry } from "./log-line.ts";

export function formatEntry(entry: LogEntry, look: Look, size: Detail): string {
  const { id, at, wall_at, test } = entry;
  const labels: LabelRow[] = [["id", id], ["at", at], ["real time", wall_at], ["test", test], ...listLabels(entry)];
  const blocks = Object.entries(listBlocks(entry, look, size));
  return [
    formatLogEntry(entry, look),
    ...formatLabels(labels, look),
    ...blocks.flatMap(([title, lines]) => formatBlock(title, lines, look)),
  ].join("\n");
}

/** Returns the labels that only entries of this kind have. */
function listLabels(entry: LogEntry): LabelRow[] {
  switch (entry.kind) {
    case "request":
      return [
        ["operation", entry.operation ?? "none: not a path of the API"],
        ["client", entry.client_id ?? "none: no valid token"],
      ];
    case "clock":
      return [
        ["from", entry.from],
        ["moved by", entry.by === "tick" ? "real time, on a running clock" : `${entry.by.kind} ${entry.by.id}`],
      ];
    case "delivery":
      return [["message", entry.message_id]];
    default:
      return [];
  }
}

function listBlocks(entry: LogEntry, look: Look, size: Detail): Record<string, string[]> {
  switch (entry.kind) {
    case "request": {
      const { request, answer } = entry;
      return {
        Request: request ? formatParts(request, look, size) : [],
        Response: answer ? formatParts(answer, look, size) : ["none: the connection was closed"],
      };
    }
    case "act":
      return { Input: formatBody(entry.input, look, size), Result: formatBody(entry.result, look, size) };
    case "clock": {
      const { to: now, mode, counts, receipt = [] } = entry;
      return { Summary: formatReceipt({ now, mode, counts, receipt }, false, look).split("\n") };
    }
    default:
      return {};
  }
}

// Formats log entries: as a line with the reasons, notes and faults below it, and in full with request, response, input or result.
import type { Schemas } from "../../client/control.ts";
import { formatNextAttempt } from "../../client/delivery-text.ts";
import { formatMoveCounts } from "../../client/move-counts.ts";
import { count } from "../../platform/count.ts";
import { describeFacts, formatReceipt } from "./facts.ts";
import {
  type Cell,
  type Detail,
  escapeText,
  formatBlock,
  formatBody,
  formatCell,
  formatLabels,
  formatLaterTime,
  formatParts,
  formatTime,
  joinCells,
  type LabelRow,
  type Look,
  toStatusCell,
  toWorldCells,
} from "./line.ts";
import { describeAttempt } from "./message-view.ts";
import type { Style } from "./terminal.ts";

export type LogEntry = Schemas["LogEntry"];

/** Formats an entry in one line, with the reasons of a rejection, notes and faults below it. */
export function formatLogEntry(entry: LogEntry, look: Look): string {
  const below = listRemarks(entry).map(([text, style]) => `          ${look.paint(style, escapeText(text))}`);
  return [joinCells([...toCells(entry), ...toWorldCells(entry.world)], look), ...below].join("\n");
}

function listRemarks(entry: LogEntry): [text: string, style: Style][] {
  if (entry.kind !== "request" && entry.kind !== "delivery") return [];
  const faults = entry.faults.map(({ name, did }): [string, Style] => [`fault ${name}: ${did}`, "magenta"]);
  if (entry.kind === "delivery") return faults;
  const { violations = [], notes = [], status } = entry;
  const broken = status === null ? "a fault broke the connection" : "";
  // The message only sums up the violations.
  const reasons = violations.length > 0 ? violations.map(formatViolation) : [describeRejection(entry) || broken];
  return [
    ...reasons.filter(Boolean).map((text): [string, Style] => [text, "yellow"]),
    ...notes.map((text): [string, Style] => [text, "dim"]),
    ...faults,
  ];
}

type Violation = NonNullable<Schemas["RequestEntry"]["violations"]>[number];

function formatViolation({ location, message }: Violation): string {
  const path = location.join(".");
  // Some messages name the field themselves.
  return message.startsWith(path) ? message : `${path}: ${message}`;
}

const describeRejection = ({ code, message }: { code?: string | null; message?: string | null }): string =>
  [code, message].filter(Boolean).join(" ");

const formatDuration = (ms: number): string => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`.padStart(8);

function toCells(entry: LogEntry): Cell[] {
  const { at, id } = entry;
  const time: Cell = [formatTime(at), "dim"];
  const ownId: Cell = [id, "dim"];
  switch (entry.kind) {
    case "request": {
      const { status, duration_ms, method, path, message_count } = entry;
      const webhooks = message_count > 0 ? count(message_count, "webhook") : "";
      const cells: Cell[] = [time, toStatusCell(status), [formatDuration(duration_ms)], [id.padEnd(14), "dim"]];
      return [...cells, [method.padEnd(5), "bold"], [path], [webhooks, "dim"]];
    }
    case "act": {
      const { act, status, facts } = entry;
      const done = facts.length === 0 ? "nothing changed" : describeFacts(facts);
      const outcome: Cell = status === "done" ? [done, "green"] : [`rejected: ${describeRejection(entry)}`, "yellow"];
      return [time, ["act", "magenta"], [act, "bold"], outcome, ownId];
    }
    case "clock": {
      const { to, by, mode, counts } = entry;
      const how = by === "tick" ? "real time" : mode;
      const cells: Cell[] = [[formatTime(to), "dim"], ["clock", "magenta"], [to, "cyan"], [formatMoveCounts(counts)]];
      return [...cells, [how, "dim"], ownId];
    }
    case "delivery": {
      const { attempt, webhook_kind, url, message_id } = entry;
      const cells: Cell[] = [time, toStatusCell(attempt.status), [formatDuration(attempt.duration_ms)]];
      return [...cells, [`→ ${webhook_kind}`, "bold"], [describeFailure(entry), "yellow"], [url], [message_id, "dim"]];
    }
    case "world":
      return [time, ["world", "magenta"], [entry.change, "bold"], [formatCell(entry.detail)], ownId];
  }
}

/** Returns why the attempt failed and when the next one is due; empty if it succeeded. */
function describeFailure({ attempt, state, next_attempt_at: next, awaits_clock }: Schemas["DeliveryEntry"]): string {
  if (attempt.outcome === "ACCEPTED") return "";
  const reason = describeAttempt(attempt, attempt.status);
  if (state !== "PENDING" || next === undefined) return `given up: ${reason}`;
  return `${reason}; ${formatNextAttempt(formatLaterTime(next, attempt.at), awaits_clock)}`;
}

/** Formats an entry in full. */
export function formatEntry(entry: LogEntry, look: Look, size: Detail): string {
  const { id, at, wall_at, test } = entry;
  const { labels = [], blocks = {} } = listParts(entry, look, size);
  return [
    formatLogEntry(entry, look),
    ...formatLabels([["id", id], ["at", at], ["real time", wall_at], ["test", test], ...labels], look),
    ...Object.entries(blocks).flatMap(([title, lines]) => formatBlock(title, lines, look)),
  ].join("\n");
}

/** Returns the labels and the titled lines that only entries of this kind have. */
function listParts(
  entry: LogEntry,
  look: Look,
  size: Detail,
): { labels?: LabelRow[]; blocks?: Record<string, string[]> } {
  switch (entry.kind) {
    case "request": {
      const { operation, client_id, request, answer } = entry;
      return {
        labels: [
          ["operation", operation ?? "none: not a path of the API"],
          ["client", client_id ?? "none: no valid token"],
        ],
        blocks: {
          Request: request ? formatParts(request, look, size) : [],
          Response: answer ? formatParts(answer, look, size) : ["none: the connection was closed"],
        },
      };
    }
    case "act":
      return { blocks: { Input: formatBody(entry.input, look, size), Result: formatBody(entry.result, look, size) } };
    case "clock": {
      const { from, by, to: now, mode, counts, receipt = [] } = entry;
      const mover = by === "tick" ? "real time, on a running clock" : `${by.kind} ${by.id}`;
      const summary = formatReceipt({ now, mode, counts, receipt }, false, look).split("\n");
      return {
        labels: [
          ["from", from],
          ["moved by", mover],
        ],
        blocks: { Summary: summary },
      };
    }
    case "delivery":
      return { labels: [["message", entry.message_id]] };
    default:
      return {};
  }
}

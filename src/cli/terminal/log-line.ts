// Formats log entries as lines. `sandbox start` prints one line per entry; `sandbox logs` adds the violations, notes and faults below it.
import type { Schemas } from "../../client/control.ts";
import { formatNextAttempt } from "../../client/delivery-text.ts";
import { formatMoveCounts } from "../../client/move-counts.ts";
import { count } from "../../platform/count.ts";
import { describeFacts } from "./facts.ts";
import {
  type Cell,
  dropFullStop,
  escapeText,
  formatLaterTime,
  joinCells,
  type Look,
  toDurationCell,
  toStatusCell,
  toTimeCell,
  toWorldCells,
} from "./line.ts";
import type { Style } from "./terminal.ts";

export type LogEntry = Schemas["LogEntry"];
type Request = Schemas["RequestEntry"];

/** Formats an entry in one line; a rejected request has its reason at the end. */
export function formatLogLine(entry: LogEntry, look: Look): string {
  const cells = entry.kind === "request" ? [...toRequestCells(entry), ...toReasonCells(entry)] : toCells(entry);
  return joinCells([...cells, ...toWorldCells(entry.world)], look);
}

/** Formats an entry in one line, with the violations, notes and faults below it. */
export function formatLogEntry(entry: LogEntry, look: Look): string {
  if (entry.kind !== "request" && entry.kind !== "delivery") return formatLogLine(entry, look);
  const isRequest = entry.kind === "request";
  const cells = isRequest ? toRequestCells(entry) : toCells(entry);
  const remarks: [Style, string][] = [
    ...(isRequest ? collectRemarks(entry) : []),
    ...entry.faults.map(({ name, did }): [Style, string] => ["magenta", `fault ${name}: ${did}`]),
  ];
  const below = remarks.map(([style, text]) => `          ${look.paint(style, escapeText(text))}`);
  return [joinCells([...cells, ...toWorldCells(entry.world)], look), ...below].join("\n");
}

/** Returns the lines below a request: why it was rejected, and the notes of the sandbox. */
function collectRemarks(entry: Request): [Style, string][] {
  const { violations = [], notes = [] } = entry;
  // The message only sums up the violations.
  const reasons = violations.length > 0 ? violations.map(formatViolation) : toReasonCells(entry).map(([text]) => text);
  return [
    ...reasons.map((text): [Style, string] => ["yellow", text]),
    ...notes.map((text): [Style, string] => ["dim", text]),
  ];
}

function formatViolation({ location, message }: NonNullable<Request["violations"]>[number]): string {
  const path = location.join(".");
  // Some messages name the field themselves.
  return message.startsWith(path) ? message : `${path}: ${message}`;
}

function toReasonCells({ code, message, status }: Pick<Request, "code" | "message" | "status">): Cell[] {
  const reason = [code, message].filter(Boolean).join(" ");
  if (reason !== "") return [[reason, "yellow"]];
  return status === null ? [["a fault broke the connection", "yellow"]] : [];
}

function toRequestCells({ at, status, duration_ms, id, method, path, message_count }: Request): Cell[] {
  return [
    toTimeCell(at),
    toStatusCell(status),
    toDurationCell(duration_ms),
    [id.padEnd(14), "dim"],
    [method.padEnd(5), "bold"],
    [path],
    [message_count > 0 ? count(message_count, "webhook") : "", "dim"],
  ];
}

function toCells(entry: Exclude<LogEntry, Request>): Cell[] {
  const { at, id } = entry;
  switch (entry.kind) {
    case "act":
      return [toTimeCell(at), ["act", "magenta"], [entry.act, "bold"], toOutcomeCell(entry), [id, "dim"]];
    case "clock": {
      const { to, by, mode, counts } = entry;
      const how = by === "tick" ? "real time" : mode;
      const cells: Cell[] = [toTimeCell(to), ["clock", "magenta"], [to, "cyan"], [formatMoveCounts(counts)]];
      return [...cells, [how, "dim"], [id, "dim"]];
    }
    case "delivery": {
      const { attempt, webhook_kind, url, message_id } = entry;
      const cells: Cell[] = [toTimeCell(at), toStatusCell(attempt.status), toDurationCell(attempt.duration_ms)];
      return [...cells, [`→ ${webhook_kind}`, "bold"], [describeFailure(entry), "yellow"], [url], [message_id, "dim"]];
    }
    case "world": {
      const details = Object.entries(entry.detail).map(([name, value]) => [name, formatDetail(value)]);
      const about = details.filter(([, text]) => text !== "").map((each) => each.join(" "));
      return [toTimeCell(at), ["world", "magenta"], [CHANGES[entry.change], "bold"], [about.join(", ")], [id, "dim"]];
    }
  }
}

function toOutcomeCell({ status, facts, code, message }: Schemas["ActEntry"]): Cell {
  if (status !== "done") return [`rejected: ${[code, message].filter(Boolean).join(" ")}`, "yellow"];
  return [facts.length === 0 ? "nothing changed" : describeFacts(facts), "green"];
}

const OUTCOMES: Record<string, string> = {
  TIMED_OUT: "no response in time",
  UNREACHABLE: "unreachable",
  BLOCKED: "blocked",
};

/** Returns why the attempt failed and when the next one is due; empty if it succeeded. */
function describeFailure({ attempt, state, next_attempt_at: next, awaits_clock }: Schemas["DeliveryEntry"]): string {
  const { at, outcome, status, error } = attempt;
  if (outcome === "ACCEPTED") return "";
  const response = outcome === "REFUSED" ? `receiver responded ${status}` : OUTCOMES[outcome];
  const reason = dropFullStop(error ?? response ?? outcome);
  if (state !== "PENDING" || next === undefined) return `given up: ${reason}`;
  return `${reason}; ${formatNextAttempt(formatLaterTime(next, at), awaits_clock)}`;
}

// The type makes a change that the specification adds a compile error until it has a label here.
const CHANGES: Record<Schemas["WorldEntry"]["change"], string> = {
  created: "created",
  reset: "reset",
  import: "imported",
  restore: "restored",
  fork: "forked",
  populate: "populated",
  rewind: "rewound",
  snapshot: "snapshot saved",
  assume: "assumed",
  removed: "removed",
};

/** Formats a list, or counts by name: `5000 bookings, 9722 tickets`. */
const formatDetail = (value: unknown): string =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.entries(value)
        .map(([name, number]) => `${number} ${name.replaceAll("_", " ")}`)
        .join(", ")
    : [value].flat().join(", ");

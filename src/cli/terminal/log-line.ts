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
import { cut, measureWidth, type Style, wrap } from "./terminal.ts";

export type LogEntry = Schemas["LogEntry"];
type Request = Schemas["RequestEntry"];

/** Formats an entry in one line; a rejected request has its reason at the end. */
export function formatLogLine(entry: LogEntry, look: Look): string {
  switch (entry.kind) {
    case "request":
      return formatRequestLine(entry, look, formatReason(entry));
    case "act":
      return formatActLine(entry, look);
    case "clock":
      return formatClockLine(entry, look);
    case "delivery":
      return formatDeliveryLine(entry, look);
    case "world":
      return formatWorldLine(entry, look);
  }
}

const formatReason = ({ code, message, status }: Pick<Request, "code" | "message"> & { status?: unknown }): string =>
  [code, message].filter(Boolean).join(" ") || (status === null ? "a fault broke the connection" : "");

/** Formats an entry in one line, with the violations, notes and faults of a request below it. */
export function formatLogEntry(entry: LogEntry, look: Look): string {
  if (entry.kind === "delivery") return [formatLogLine(entry, look), ...formatHits(entry, look)].join("\n");
  if (entry.kind !== "request") return formatLogLine(entry, look);
  const below = collectRemarks(entry, look.width).map(([style, text]) => `          ${look.paint(style, text)}`);
  return [formatRequestLine(entry, look, ""), ...below, ...formatHits(entry, look)].join("\n");
}

function formatHits({ faults }: Pick<Request, "faults">, { paint, width }: Look): string[] {
  const lines = faults.flatMap(({ name, did }) => wrap(escapeText(`fault ${name}: ${did}`), width - 10));
  return lines.map((line) => `          ${paint("magenta", line)}`);
}

/** A terminal of 80 columns shows all cells except the operation. A narrower one, or one with a reason, omits the duration and the id. */
function formatRequestLine(entry: Request, look: Look, reason: string): string {
  const { width } = look;
  const { at, status, duration_ms, id, method, path, operation, message_count, world } = entry;
  const rest: Cell[] = [
    ...(width >= 120 && operation !== null && reason === "" ? [[operation, "dim"] as const] : []),
    ...(message_count > 0 ? [[count(message_count, "webhook"), "dim"] as const] : []),
    ...toWorldCells(world),
  ];
  const head: Cell[] = [
    toTimeCell(at),
    toStatusCell(status),
    ...(width >= (reason === "" ? 80 : 100) ? [toDurationCell(duration_ms)] : []),
    ...(width >= 70 ? [[id.padEnd(14), "dim"] as const] : []),
    [method.padEnd(5), "bold"],
  ];
  // The path gets the columns that the cells of fixed width leave.
  const usedWidth = [...head, ...rest].reduce((sum, [text]) => sum + measureWidth(text) + 2, 0);
  const room = Math.max(10, width - usedWidth);
  const pathCut = cut(escapeText(path), reason === "" ? room : Math.max(10, Math.floor(room * 0.45)));
  const why: Cell[] =
    reason === "" ? [] : [[cut(escapeText(reason), Math.max(1, room - measureWidth(pathCut) - 2)), "yellow"]];
  return joinCells([...head, [pathCut], ...why, ...rest], look);
}

/** Returns the lines below a request: why it was rejected, and the notes of the sandbox. */
function collectRemarks({ violations = [], notes = [], code, message }: Request, width: number): [Style, string][] {
  // The message only sums up the violations.
  const reason = violations.length > 0 ? "" : formatReason({ code, message });
  const wrong = violations.map(({ location, message }) => {
    const path = location.join(".");
    // Some messages name the field themselves.
    return message.startsWith(path) ? message : `${path}: ${message}`;
  });
  const toRemarks = (style: Style, texts: readonly string[]) =>
    texts.flatMap((text) => wrap(escapeText(text), width - 10)).map((text): [Style, string] => [style, text]);
  return [...toRemarks("yellow", reason === "" ? wrong : [reason, ...wrong]), ...toRemarks("dim", notes)];
}

const toIdCells = (id: string, { width }: Look): Cell[] => (width >= 120 ? [[id, "dim"]] : []);

function formatActLine({ at, act, status, facts, code, message, id, world }: Schemas["ActEntry"], look: Look): string {
  const done = facts.length === 0 ? "nothing changed" : describeFacts(facts);
  const outcome: Cell =
    status === "done" ? [done, "green"] : [`rejected: ${formatReason({ code, message })}`, "yellow"];
  const origin: Cell[] = [...toIdCells(id, look), ...toWorldCells(world)];
  return joinCells([toTimeCell(at), ["act", "magenta"], [act, "bold"], outcome, ...origin], look);
}

function formatClockLine({ to, mode, by, counts, id, world }: Schemas["ClockEntry"], look: Look): string {
  const how = by === "tick" ? "real time" : mode;
  const cells: Cell[] = [toTimeCell(to), ["clock", "magenta"], [to, "cyan"], [formatMoveCounts(counts)], [how, "dim"]];
  return joinCells([...cells, ...toIdCells(id, look), ...toWorldCells(world)], look);
}

function formatDeliveryLine(entry: Schemas["DeliveryEntry"], look: Look): string {
  const { at, attempt, webhook_kind, url, message_id, world } = entry;
  const failure = describeFailure(entry);
  return joinCells(
    [
      toTimeCell(at),
      toStatusCell(attempt.status),
      ...(look.width >= 80 ? [toDurationCell(attempt.duration_ms)] : []),
      [`→ ${webhook_kind}`, "bold"],
      ...(failure === "" ? [] : [[failure, "yellow"] as const]),
      [url],
      ...toIdCells(message_id, look),
      ...toWorldCells(world),
    ],
    look,
  );
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
  const reason = error ?? response ?? outcome;
  if (state !== "PENDING" || next === undefined) return `given up: ${dropFullStop(reason)}`;
  return `${dropFullStop(reason)}; ${formatNextAttempt(formatLaterTime(next, at), awaits_clock)}`;
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

function formatWorldLine({ at, change, detail, id, world }: Schemas["WorldEntry"], look: Look): string {
  const words = Object.entries(detail).map(([name, value]) => [name, formatDetail(value)]);
  const about = words.filter(([, text]) => text !== "").map((each) => each.join(" "));
  const cells: Cell[] = [toTimeCell(at), ["world", "magenta"], [CHANGES[change], "bold"], [about.join(", ")]];
  return joinCells([...cells, ...toIdCells(id, look), ...toWorldCells(world)], look);
}

// An entry of the log for a person, in one line. `sandbox logs` and `sandbox start` print the same lines, `logs` with all that was wrong
// below.
import type { Schemas } from "../../client/control.ts";
import { formatNextAttempt } from "../../client/delivery-text.ts";
import { formatMoveCounts } from "../../client/move-counts.ts";
import { count } from "../../platform/count.ts";
import { brief } from "./facts.ts";
import {
  type Cell,
  joined,
  type Look,
  laterTime,
  plain,
  statusCell,
  timeCell,
  tookCell,
  withoutStop,
  worldCell,
} from "./line.ts";
import { cut, type Style, widthOf, wrap } from "./terminal.ts";

export type LogEntry = Schemas["LogEntry"];
type Request = Schemas["RequestEntry"];

/** In one line; of a refused request with the reason. */
export function entryLine(entry: LogEntry, look: Look): string {
  switch (entry.kind) {
    case "request":
      return requestLine(entry, look, `${entry.code ?? ""} ${entry.message ?? ""}`.trim() || brokenOff(entry));
    case "act":
      return actLine(entry, look);
    case "clock":
      return clockLine(entry, look);
    case "delivery":
      return deliveryLine(entry, look);
    case "world":
      return worldLine(entry, look);
  }
}

const brokenOff = ({ status }: Request): string => (status === null ? "a fault broke the connection" : "");

/** In one line, and under it all that was wrong with a request. */
export function logLine(entry: LogEntry, look: Look): string {
  if (entry.kind === "delivery") return [entryLine(entry, look), ...faultLines(entry, look)].join("\n");
  if (entry.kind !== "request") return entryLine(entry, look);
  const below = remarks(entry, look.width).map(([style, text]) => `          ${look.paint(style, text)}`);
  return [requestLine(entry, look, ""), ...below, ...faultLines(entry, look)].join("\n");
}

function faultLines({ faults }: Pick<Request, "faults">, { paint, width }: Look): string[] {
  const lines = faults.flatMap(({ name, did }) => wrap(plain(`fault ${name}: ${did}`), width - 10));
  return lines.map((line) => `          ${paint("magenta", line)}`);
}

/** On 80 columns everything but the operation has its place; a narrower terminal lacks the duration and the id. A reason needs room. */
function requestLine(entry: Request, look: Look, reason: string): string {
  const { width } = look;
  const { at, status, duration_ms, id, method, path, operation, message_count, world } = entry;
  const rest: Cell[] = [
    ...(width >= 120 && operation !== null && reason === "" ? [[operation, "dim"] as const] : []),
    ...(message_count > 0 ? [[count(message_count, "webhook"), "dim"] as const] : []),
    ...worldCell(world),
  ];
  const head: Cell[] = [
    timeCell(at),
    statusCell(status),
    ...(width >= (reason === "" ? 80 : 100) ? [tookCell(duration_ms)] : []),
    ...(width >= 70 ? [[id.padEnd(14), "dim"] as const] : []),
    [plain(method).padEnd(5), "bold"],
  ];
  // What has a fixed place is counted first; the path gets the rest.
  const taken = [...head, ...rest].reduce((sum, [text]) => sum + widthOf(text) + 2, 0);
  const room = Math.max(10, width - taken);
  const pathCut = cut(plain(path), reason === "" ? room : Math.max(10, Math.floor(room * 0.45)));
  const why: Cell[] = reason === "" ? [] : [[cut(plain(reason), Math.max(1, room - widthOf(pathCut) - 2)), "yellow"]];
  return joined([...head, [pathCut], ...why, ...rest], look);
}

/** The lines below the line of a request: why it was refused, and what else was noticed. */
function remarks({ violations = [], notes = [], code, message }: Request, width: number): [Style, string][] {
  // Violations say more than the sentence that sums them up.
  const reason = violations.length > 0 ? "" : `${code ?? ""} ${message ?? ""}`.trim();
  const wrong = violations.map(({ location, message }) => {
    const path = location.join(".");
    // Some messages name the member themselves.
    return message.startsWith(path) ? message : `${path}: ${message}`;
  });
  const lines = (style: Style, texts: readonly string[]) =>
    texts.flatMap((text) => wrap(plain(text), width - 10)).map((text): [Style, string] => [style, text]);
  return [...lines("yellow", reason === "" ? [] : [reason]), ...lines("yellow", wrong), ...lines("dim", notes)];
}

/** Where there is room. */
const idCell = (id: string, { width }: Look): Cell[] => (width >= 120 ? [[id, "dim"]] : []);

/** What an act did, or why it was refused. */
function actLine({ at, act, status, facts, code, message, id, world }: Schemas["ActEntry"], look: Look): string {
  // Success without a fact is worth a word: the person expected something.
  const done = facts.length === 0 ? "nothing had to change" : brief(facts);
  const outcome: Cell =
    status === "done" ? [plain(done), "green"] : [plain(`refused: ${code ?? ""} ${message ?? ""}`.trim()), "yellow"];
  const named: Cell[] = [...idCell(id, look), ...worldCell(world)];
  return joined([timeCell(at), ["act", "magenta"], [plain(act), "bold"], outcome, ...named], look);
}

function clockLine({ to, mode, by, counts, id, world }: Schemas["ClockEntry"], look: Look): string {
  const how = by === "tick" ? "real time" : mode;
  const cells: Cell[] = [timeCell(to), ["clock", "magenta"], [to, "cyan"], [formatMoveCounts(counts)], [how, "dim"]];
  return joined([...cells, ...idCell(id, look), ...worldCell(world)], look);
}

/** One attempt of a delivery. */
function deliveryLine(entry: Schemas["DeliveryEntry"], look: Look): string {
  const { at, attempt, webhook_kind, url, message_id, world } = entry;
  // An attempt that was accepted needs no reason.
  const failed = describeFailure(entry);
  return joined(
    [
      timeCell(at),
      statusCell(attempt.status),
      ...(look.width >= 80 ? [tookCell(attempt.duration_ms)] : []),
      [`→ ${webhook_kind}`, "bold"],
      ...(failed === "" ? [] : [[plain(failed), "yellow"] as const]),
      [plain(url)],
      ...idCell(message_id, look),
      ...worldCell(world),
    ],
    look,
  );
}

const OUTCOMES: Record<string, string> = {
  TIMED_OUT: "no response in time",
  UNREACHABLE: "unreachable",
  BLOCKED: "blocked",
};

/** Why the attempt failed, and when the next one is; empty where it did not. */
function describeFailure({ attempt, state, next_attempt_at: next, awaits_clock }: Schemas["DeliveryEntry"]): string {
  const { at, outcome, status, error } = attempt;
  if (outcome === "ACCEPTED") return "";
  const response = outcome === "REFUSED" ? `receiver responded ${status}` : OUTCOMES[outcome];
  const reason = error ?? response ?? outcome;
  if (state !== "PENDING" || next === undefined) return `given up: ${withoutStop(reason)}`;
  return `${withoutStop(reason)}; ${formatNextAttempt(laterTime(next, at), awaits_clock)}`;
}

// A change that the specification adds does not compile before it has a word here.
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

/** A list, or how many of each: 5000 bookings, 9722 tickets. */
const inWords = (value: unknown): string =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.entries(value)
        .map(([name, number]) => `${number} ${name.replaceAll("_", " ")}`)
        .join(", ")
    : [value].flat().join(", ");

function worldLine({ at, change, detail, id, world }: Schemas["WorldEntry"], look: Look): string {
  const words = Object.entries(detail).map(([name, value]) => [name, inWords(value)]);
  // An empty list has nothing to say.
  const about = words.filter(([, text]) => text !== "").map((each) => each.join(" "));
  const cells: Cell[] = [timeCell(at), ["world", "magenta"], [CHANGES[change], "bold"], [plain(about.join(", "))]];
  return joined([...cells, ...idCell(id, look), ...worldCell(world)], look);
}

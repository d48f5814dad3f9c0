// An entry of the log that is no request, in one line for a person: an act, a move of the clock, an attempt to deliver a webhook, a
// change of the world itself.
import type { Schemas } from "../../client/control.ts";
import { formatNextAttempt } from "../../client/delivery-text.ts";
import { formatMoveCounts } from "../../client/move-counts.ts";
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

/** Where there is room. */
const idCell = (id: string, { width }: Look): Cell[] => (width >= 120 ? [[id, "dim"]] : []);

/** What an act did, or why it was refused. */
export function actLine({ at, act, status, facts, code, message, id, world }: Schemas["ActEntry"], look: Look): string {
  // Success without a fact is worth a word: the person expected something.
  const done = facts.length === 0 ? "nothing had to change" : brief(facts);
  const outcome: Cell =
    status === "done" ? [plain(done), "green"] : [plain(`refused: ${code ?? ""} ${message ?? ""}`.trim()), "yellow"];
  const named: Cell[] = [...idCell(id, look), ...worldCell(world)];
  return joined([timeCell(at), ["act", "magenta"], [plain(act), "bold"], outcome, ...named], look);
}

export function clockLine({ to, mode, by, counts, id, world }: Schemas["ClockEntry"], look: Look): string {
  const how = by === "tick" ? "real time" : mode;
  const cells: Cell[] = [timeCell(to), ["clock", "magenta"], [to, "cyan"], [formatMoveCounts(counts)], [how, "dim"]];
  return joined([...cells, ...idCell(id, look), ...worldCell(world)], look);
}

/** One attempt of a delivery. */
export function deliveryLine(entry: Schemas["DeliveryEntry"], look: Look): string {
  const { at, attempt, webhook_kind, url, message_id, world } = entry;
  // An attempt that was accepted needs no reason.
  const failed = failureOf(entry);
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
function failureOf({ attempt, state, next_attempt_at: next, awaits_clock }: Schemas["DeliveryEntry"]): string {
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

export function worldLine({ at, change, detail, id, world }: Schemas["WorldEntry"], look: Look): string {
  const words = Object.entries(detail).map(([name, value]) => [name, inWords(value)]);
  // An empty list has nothing to say.
  const about = words.filter(([, text]) => text !== "").map((each) => each.join(" "));
  const cells: Cell[] = [timeCell(at), ["world", "magenta"], [CHANGES[change], "bold"], [plain(about.join(", "))]];
  return joined([...cells, ...idCell(id, look), ...worldCell(world)], look);
}

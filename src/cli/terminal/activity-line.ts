// What happens in a world besides requests, each in one line for a person: an act, a move of the clock, an attempt to deliver a webhook.
import type { Schemas } from "../../client/control.ts";
import { type Cell, joined, type Look, plain, statusCell, timeCell, timeOf, tookCell, worldCell } from "./line.ts";
import { count } from "./terminal.ts";

export interface ActLine {
  at: string;
  act: string;
  facts: Schemas["Facts"];
  code?: string;
  message?: string;
}

/** What an act did, or why it was refused. */
export function actLine({ at, act, facts, code, message }: ActLine, look: Look, world?: string): string {
  const done = facts.length === 0 ? "nothing had to change" : facts.map(({ fact, id }) => `${fact} ${id}`).join(", ");
  const outcome: Cell =
    code === undefined ? [plain(done), "green"] : [plain(`refused: ${code} ${message ?? ""}`.trim()), "yellow"];
  return joined([timeCell(at), ["act", "magenta"], [plain(act), "bold"], outcome, ...worldCell(world)], look);
}

export function clockLine({ now, happened }: { now: string; happened: number }, look: Look, world?: string): string {
  const sum = happened === 0 ? "nothing was due" : `${count(happened, "thing")} happened`;
  return joined([timeCell(now), ["clock", "magenta"], [now, "cyan"], [sum], ...worldCell(world)], look);
}

/** The last attempt of a delivery. */
export function deliveryLine(delivery: Schemas["Delivery"], look: Look, world?: string): string {
  const attempt = delivery.attempts.at(-1);
  if (!attempt) return "";
  const { at, duration_ms, answer, request } = attempt;
  const kind = /"type": ?"([\w.]+)"/.exec(request.body)?.[1] ?? "webhook";
  const failed = failureOf(delivery);
  return joined(
    [
      timeCell(at),
      statusCell(answer?.status ?? null),
      ...(look.width >= 80 ? [tookCell(duration_ms)] : []),
      [`→ ${kind}`, "bold"],
      ...(failed === "" ? [] : [[plain(failed), "yellow"] as const]),
      [plain(delivery.url)],
      ...(look.width >= 120 ? [[String(request.headers["webhook-id"] ?? ""), "dim"] as const] : []),
      ...worldCell(world),
    ],
    look,
  );
}

const OUTCOMES: Record<string, string> = {
  ACCEPTED: "",
  REFUSED: "refused",
  TIMED_OUT: "no response in time",
  UNREACHABLE: "unreachable",
  BLOCKED: "blocked",
};

/** Why the last attempt failed, and what comes of it; empty where it did not. */
function failureOf({ attempts, state, next_attempt_at: next }: Schemas["Delivery"]): string {
  const { at = "", outcome = "", error } = attempts.at(-1) ?? {};
  if (outcome === "ACCEPTED") return "";
  const reason = (error ?? OUTCOMES[outcome] ?? outcome).replace(/\.$/, "");
  if (state !== "PENDING" || next === undefined) return `given up: ${reason}`;
  const day = next.slice(0, 10) === at.slice(0, 10) ? "" : `${next.slice(0, 10)} `;
  return `again ${day}${timeOf(next)}: ${reason}`;
}

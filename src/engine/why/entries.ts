// Entries of the log as explanations need them: by id, the latest that was refused, the next calls of a client, and the title of a cause.

import { optional } from "../../platform/optional.ts";
import type { HistoryPort } from "../app/application.ts";
import { fromMillis } from "../domain/kernel/instant.ts";
import type { LogEntry } from "../log/view.ts";
import type { World } from "../world/state/world.ts";
import type { Why } from "./story.ts";

export type WhyCause = NonNullable<Why["cause"]>;

/** `Ports`: what of the application the answer takes. */
export interface WhyContext<Ports = HistoryPort> {
  application: Ports;
  world: World;
}

/** What the log shows of an entry in a line. */
interface EntryView {
  status?: number | string | null;
  method?: string;
  path?: string;
  from?: string;
  to?: string;
  webhook_kind?: string;
  url?: string;
  change?: string;
  attempt?: { status: number | null };
}

/** Enough to see whether the client tried again. */
const NEXT_CALLS = 5;

/** One that explains itself; a delivery is explained by its message. */
export function findEntry(id: string, { application, world }: WhyContext): LogEntry | undefined {
  const entry = application.log.find(world.id, id);
  return entry && entry.kind !== "delivery" && entry.kind !== "fact" ? entry : undefined;
}

/**
 * The program's own; what was refused to a person, who has seen it, only where there is nothing else.
 * `byHand`: such a one that was sent later.
 */
export function findLatest({ application, world }: WhyContext): { entry?: LogEntry; byHand?: LogEntry } {
  const refused = application.log.list(world.id, { kinds: ["request", "act"], failed: true });
  const [entry, last] = [refused.findLast(({ by_hand }) => !by_hand), refused.at(-1)];
  if (!entry) return optional({ entry: last });
  return last === entry ? { entry } : { entry, ...optional({ byHand: last }) };
}

const summarize = (entry: LogEntry, { log }: HistoryPort): EntryView => log.show(entry, "summary") as EntryView;

export const toWall = ({ wall }: LogEntry): string => fromMillis(wall);

/** What it was, without how it ended. */
export function toTitle(entry: LogEntry, application: HistoryPort): string {
  if (entry.operation !== undefined) return entry.operation;
  const { method, path, from, to, webhook_kind, url, change = "" } = summarize(entry, application);
  switch (entry.kind) {
    case "request":
      return `${method} ${path}`;
    case "clock":
      return `from ${from} to ${to}`;
    case "delivery":
      return `${webhook_kind} to ${url}`;
    default:
      return change;
  }
}

/** How it ended; empty where that goes without saying. */
export function toOutcome(entry: LogEntry, application: HistoryPort): string {
  switch (entry.kind) {
    case "request":
      return String(entry.status ?? "no response");
    case "act":
      return entry.failed ? "refused" : "done";
    case "delivery":
      return String(summarize(entry, application).attempt?.status ?? "no response");
    default:
      return "";
  }
}

/** The next requests of the same client. */
export function listNext({ kind, seq, client_id }: LogEntry, { application, world }: WhyContext): Why["then"] {
  if (kind !== "request" || client_id === undefined) return [];
  const later = application.log.list(world.id, { kinds: ["request"], client_id, since: seq });
  return later.slice(0, NEXT_CALLS).map((entry) => ({
    ...{ id: entry.id, seq: entry.seq, kind: entry.kind, at: entry.at },
    wall_at: toWall(entry),
    title: toTitle(entry, application),
    status: entry.status ?? null,
  }));
}

const KINDS: Readonly<Record<string, WhyCause["kind"]>> = { req: "request", act: "act", clk: "clock", dlv: "delivery" };

/** A cause may be one of a chain; a circle would be a mistake of ours. */
const LONGEST_CHAIN = 10;

/** The cause with this id, what caused that, and so on. */
export function listCauses(id: string, context: WhyContext): WhyCause[] {
  const chain: WhyCause[] = [];
  let next: string | undefined = id;
  while (next !== undefined && chain.length < LONGEST_CHAIN && !chain.some((cause) => cause.id === next)) {
    chain.push(causeTitled(next, context));
    next = context.application.log.find(context.world.id, next)?.caused_by;
  }
  return chain;
}

/** An entry may be gone while what it caused is still there. */
export function causeTitled(id: string, { application, world }: WhyContext): WhyCause {
  const entry = application.log.find(world.id, id);
  if (entry && entry.kind !== "fact") {
    const title = `${toTitle(entry, application)} ${toOutcome(entry, application)}`.trim();
    return { kind: entry.kind, id, title };
  }
  const kind = /^(req|act|clk)-|^dlv_/.test(id) ? (KINDS[id.slice(0, 3)] ?? "world") : "world";
  // A clock that was moved by command has such a request as its cause, which never was in the log.
  const missing = kind === "request" ? "of the control API, or no longer in the log" : "no longer in the log";
  return { kind, id, title: kind === "world" ? id : missing };
}

// Finds entries of the log for explanations: by id, the latest rejected one, the next requests of a client, and the
// title of a cause.

import { optional } from "../../platform/optional.ts";
import type { HistoryPort } from "../app/application.ts";
import { fromMillis } from "../domain/kernel/instant.ts";
import type { LogEntry } from "../log/view.ts";
import { readCauseKind } from "../world/state/commit.ts";
import type { World } from "../world/state/world.ts";
import type { Why } from "./story.ts";

export type WhyCause = NonNullable<Why["cause"]>;

/** `Ports` are the parts of the application that the explanation needs. */
export interface WhyContext<Ports = HistoryPort> {
  application: Ports;
  world: World;
}

type EntryView = Partial<Record<"method" | "path" | "from" | "to" | "webhook_kind" | "url" | "change", string>> & {
  attempt?: { status: number | null };
};

/** The number is enough to see whether the client tried again. */
const MAX_NEXT_REQUESTS = 5;

/** Finds an entry that can be explained by itself. A delivery is explained by its message instead. */
export function findEntry(id: string, { application, world }: WhyContext): LogEntry | undefined {
  const entry = application.log.find(world.id, id);
  return entry && entry.kind !== "delivery" && entry.kind !== "fact" ? entry : undefined;
}

/**
 * Returns the latest rejected entry of a program. An entry that a person sent is returned only if there is no other,
 * because the person has seen the rejection. `byHand` is such an entry that was sent later.
 */
export function findLatest({ application, world }: WhyContext): { entry?: LogEntry; byHand?: LogEntry } {
  const refused = application.log.list(world.id, { kinds: ["request", "act"], failed: true });
  const [entry, last] = [refused.findLast(({ by_hand }) => !by_hand), refused.at(-1)];
  if (!entry) return optional({ entry: last });
  return last === entry ? { entry } : { entry, ...optional({ byHand: last }) };
}

const summarize = (entry: LogEntry, { log }: HistoryPort): EntryView => log.show(entry, "summary") as EntryView;

export const toWall = ({ wall }: LogEntry): string => fromMillis(wall);

/** Returns the title of an entry without its outcome. */
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

/** Returns the outcome of an entry; empty if its kind has none. */
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

/** Lists the next requests of the same client. */
export function listNext({ kind, seq, client_id }: LogEntry, { application, world }: WhyContext): Why["then"] {
  if (kind !== "request" || client_id === undefined) return [];
  const later = application.log.list(world.id, { kinds: ["request"], client_id, since: seq });
  return later.slice(0, MAX_NEXT_REQUESTS).map((entry) => ({
    id: entry.id,
    seq: entry.seq,
    kind: entry.kind,
    at: entry.at,
    wall_at: toWall(entry),
    title: toTitle(entry, application),
    status: entry.status ?? null,
  }));
}

/** The limit also ends a cycle of causes, which would be a bug. */
const MAX_CAUSE_CHAIN = 10;

/** Lists the cause with this id, its cause, and so on. */
export function listCauses(id: string, context: WhyContext): WhyCause[] {
  const chain: WhyCause[] = [];
  let next: string | undefined = id;
  while (next !== undefined && chain.length < MAX_CAUSE_CHAIN && !chain.some((cause) => cause.id === next)) {
    chain.push(findCause(next, context));
    next = context.application.log.find(context.world.id, next)?.caused_by;
  }
  return chain;
}

/** Returns the cause with its title, even if the log no longer has its entry. */
export function findCause(id: string, { application, world }: WhyContext): WhyCause {
  const entry = application.log.find(world.id, id);
  if (entry && entry.kind !== "fact") {
    const title = `${toTitle(entry, application)} ${toOutcome(entry, application)}`.trim();
    return { kind: entry.kind, id, title };
  }
  const kind = readCauseKind(id);
  // A clock that was moved by the control API has a request as its cause that was never in the log.
  const missing = kind === "request" ? "of the control API, or no longer in the log" : "no longer in the log";
  return { kind, id, title: kind === "world" ? id : missing };
}

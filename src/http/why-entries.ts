// Entries of the log as explanations need them: by id, the latest that failed, the next calls of a client, and the title of a cause.
import type { Application, LogEntry } from "../app/application.ts";
import type { components } from "../generated/control.ts";
import type { World } from "../world/state/world.ts";

type Schemas = components["schemas"];
type Why = Schemas["Why"];
type Shown = Schemas["LogEntry"];

export interface Entry {
  id: string;
  kind: "request" | "act" | "clock";
  /** As the log holds it. */
  logged: LogEntry;
  title: string;
  /** Undefined for what has none. */
  status?: number | null;
  at: string;
  wall_at: string | null;
  seq: number;
  caused_by?: string;
  notes: string[];
}

interface Asking {
  application: Application;
  world: World;
}

/** Deliveries and changes of the world are explained by what the world keeps of them. */
function entryFrom(logged: LogEntry, { log }: Application): Entry | undefined {
  const shown = log.show(logged, "summary") as Shown;
  if (shown.kind === "delivery" || shown.kind === "world") return undefined;
  const { id, kind, at, wall_at, seq } = shown;
  const cause = shown.kind === "clock" && shown.by !== "tick" ? { caused_by: shown.by.id } : {};
  return { id, kind, logged, at, wall_at, seq, ...titleOf(shown), ...cause, notes: [] };
}

type Titled = Pick<Entry, "title" | "status">;

function titleOf(shown: Schemas["RequestEntry"] | Schemas["ActEntry"] | Schemas["ClockEntry"]): Titled {
  switch (shown.kind) {
    case "request":
      return { title: shown.operation ?? `${shown.method} ${shown.path}`, status: shown.status };
    case "act":
      return { title: `${shown.act} ${shown.status}` };
    case "clock":
      return { title: `clock from ${shown.from} to ${shown.to}` };
  }
}

export function entryCalled(id: string, { application, world }: Asking): Entry | undefined {
  const logged = application.log.find(world.id, id);
  return logged && entryFrom(logged, application);
}

export function latestFailed({ application, world }: Asking): Entry | undefined {
  const [logged] = application.log.list(world.id, { kinds: ["request", "act"], failed: true }, 1);
  return logged && entryFrom(logged, application);
}

const MOST_NEXT = 5;

export function nextCalls({ logged, seq }: Entry, { application, world }: Asking): Pick<Why, "then"> {
  const { client_id } = logged;
  const calls =
    client_id === undefined
      ? []
      : application.log.list(world.id, { kinds: ["request"], client_id, since: seq }).slice(0, MOST_NEXT);
  const next = calls.flatMap((call) => entryFrom(call, application) ?? []);
  // biome-ignore lint/suspicious/noThenProperty: the word of the story; it is a list, so nothing waits for it
  return { then: next.map(({ id, seq, kind, at, title, status = null }) => ({ id, seq, kind, at, title, status })) };
}

const KINDS: Readonly<Record<string, NonNullable<Why["cause"]>["kind"]>> = {
  req: "request",
  act: "act",
  clk: "clock",
  dlv: "delivery",
};

export function causeTitled(id: string, asking: Asking): NonNullable<Why["cause"]> {
  const kind = KINDS[id.slice(0, 3)] ?? "world";
  const entry = kind === "world" ? undefined : entryCalled(id, asking);
  const outcome = entry?.status === undefined ? "" : ` ${entry.status ?? "no response"}`;
  return { kind, id, title: entry ? `${entry.title}${outcome}` : titleOfUnlogged(kind, id) };
}

/** A request of the control API moves a clock, and is in no log. */
function titleOfUnlogged(kind: string, id: string): string {
  if (kind === "world") return id;
  return kind === "delivery" ? "an attempt of a delivery" : "no longer in the log";
}

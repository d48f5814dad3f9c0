// Entries of the log as explanations need them: by id, the latest that failed, the next calls of a client, and the title of a cause.
import type { Application, LoggedRequest } from "../app/application.ts";
import type { components } from "../generated/control.ts";
import type { World } from "../world/state/world.ts";
import { seqOf } from "./refused.ts";

type Why = components["schemas"]["Why"];

export interface Entry {
  id: string;
  kind: "request" | "act" | "clock" | "delivery";
  /** As the log holds it. */
  logged: object;
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

const entryFrom = (logged: LoggedRequest): Entry => {
  const { method, path } = logged.brief();
  return {
    ...{
      id: logged.id,
      kind: "request",
      logged,
      at: logged.at,
      wall_at: null,
      seq: seqOf(logged),
      status: logged.status,
    },
    title: logged.operation ?? `${method} ${path}`,
    notes: [],
  };
};

export function entryCalled(id: string, { application, world }: Asking): Entry | undefined {
  const logged = application.requestLogs.find(world.id, id);
  return logged && entryFrom(logged);
}

export function latestFailed({ application, world }: Asking): Entry | undefined {
  const logged = application.requestLogs.list(world.id, {}).findLast(({ status }) => status === null || status >= 400);
  return logged && entryFrom(logged);
}

export function nextCalls(_: Entry, __: Asking): Pick<Why, "then"> {
  // biome-ignore lint/suspicious/noThenProperty: the word of the story; it is a list, so nothing waits for it
  return { then: [] };
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
  return { kind, id, title: entry ? `${entry.title}${outcome}` : kind === "world" ? id : "no longer in the log" };
}

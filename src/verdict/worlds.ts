// Worlds in a running sandbox, one for each run and called after it. They are removed with the run unless they are kept; a signal that
// ends the command removes them all, and what a killed verdict has left the next one removes: a name says until when its run may last.
import { setTimeout as pause } from "node:timers/promises";
import { type Control, type Server, unwrap } from "../client/control.ts";
import { createControl } from "../client/create-control.ts";
import { SandboxError } from "../client/sandbox-error.ts";
import { contextIn, type RunContext, type RunOptions } from "./run-context.ts";

export interface Worlds {
  open(options: { webhookUrl?: string | undefined; name?: string | undefined }): Promise<RunContext>;
  /** The ids of those that stay. */
  readonly worldsLeft: readonly string[];
}

interface WorldsOptions extends Omit<RunOptions, "webhookUrl"> {
  /** Worlds stay after their runs. */
  keep?: boolean | undefined;
  /** The longest that a run may take. */
  limitMs: number;
}

/** What removes each world that is there or being made; a signal for us is one for them. */
const there = new Set<() => Promise<void>>();
let departures = 0;

/** No verdict that has begun makes another one. */
export async function removeWorlds(): Promise<void> {
  departures++;
  await Promise.allSettled([...there].map((remove) => remove()));
}

/** Nothing is made before `open` is called. */
export function worldsIn(server: Server, { keep = false, limitMs, ...options }: WorldsOptions): Worlds {
  const worldsLeft: string[] = [];
  const named = namesOf(keep, limitMs);
  const begun = departures;
  const isOver = () => departures > begun;
  return {
    worldsLeft,
    async open({ webhookUrl, name }) {
      const id = named(name ?? "about");
      // After a departure nothing is opened any more; a promise that never settles holds whoever asks until the process
      // ends.
      const opened = () => (isOver() ? NEVER : tracked(contextIn(server, { ...options, webhookUrl, id })));
      const context = await (keep ? opened() : whereThereIsRoom(opened));
      if (!keep || name === undefined) return context;
      // Only runs that a person may want to see, and not the one that read the description.
      worldsLeft.push(context.world);
      return { ...context, close: async () => context.relay?.close() };
    },
  };
}

/** A team may have no more worlds; as long as others of ours end, one will be free. Who asked first may be refused for who asked second. */
async function whereThereIsRoom(open: () => Promise<RunContext>): Promise<RunContext> {
  for (;;) {
    const before = there.size;
    try {
      return await open();
    } catch (reason) {
      const isAlone = before + there.size === 0;
      const isFull = reason instanceof SandboxError && reason.code === "QUOTA_EXCEEDED";
      if (!isFull || isAlone) throw reason;
    }
    await pause(ROOM_MS);
  }
}

const ROOM_MS = 250;
const NEVER = new Promise<never>(() => {});

/** More than a run takes beside the program, and than the clocks of two machines differ. */
const MARGIN_MS = 600_000;
const LEFT = /^verdict-until-([0-9a-z]{8})-/;

const now = (): number => Math.round(performance.timeOrigin + performance.now());

/** Removes what verdicts have left that were killed. */
export async function removeLeft(server: Server): Promise<void> {
  const surface: Control = createControl(server);
  const { items } = await unwrap(surface.GET("/_sandbox/worlds"));
  const isLeft = ({ id }: { id: string }) => Number.parseInt(LEFT.exec(id)?.[1] ?? "", 36) < now();
  for (const { id } of items.filter(isLeft))
    await surface.DELETE("/_sandbox/worlds/{worldId}", { params: { path: { worldId: id } } });
}

/** A person who looks at the worlds knows them; two verdicts at once do not meet. */
function namesOf(keep: boolean, limitMs: number): (name: string) => string {
  const stamp = now().toString(36);
  const times = new Map<string, number>();
  return (name) => {
    const before = times.get(name) ?? 0;
    times.set(name, before + 1);
    const until = keep && name !== "about" ? [] : ["until", (now() + limitMs + MARGIN_MS).toString(36)];
    const id = ["verdict", ...until, stamp, name, ...(before === 0 ? [] : [before + 1])].join("-");
    return id
      .toLowerCase()
      .replace(/[^a-z0-9._-]+/g, "-")
      .slice(0, 64);
  };
}

function tracked(opening: Promise<RunContext>): Promise<RunContext> {
  let removing: Promise<void> | undefined;
  const remove = () => {
    // Removing twice is removing once, also while the world is still being made.
    removing ??= opening.then(({ close }) => close()).finally(() => there.delete(remove));
    return removing;
  };
  there.add(remove);
  return opening.then(
    (context) => ({ ...context, close: remove }),
    (reason) => {
      there.delete(remove);
      throw reason;
    },
  );
}

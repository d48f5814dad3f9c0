// Creates a world in a running sandbox for each run, and deletes it after the run unless it is kept. A signal deletes
// all of them. The name of a world contains its expiry, so the next verdict can delete the worlds of a killed one.
import { setTimeout as pause } from "node:timers/promises";
import { type Control, type Server, unwrap } from "../client/control.ts";
import { createControl } from "../client/create-control.ts";
import { SandboxError } from "../client/sandbox-error.ts";
import { createWorldContext, type RunContext, type RunOptions } from "./run-context.ts";

export interface Worlds {
  open(options: { webhookUrl?: string | undefined; name?: string | undefined }): Promise<RunContext>;
  /** The ids of the worlds that stay. */
  readonly worldsLeft: readonly string[];
}

interface WorldsOptions extends Omit<RunOptions, "webhookUrl"> {
  /** Worlds stay after their runs. */
  keep?: boolean | undefined;
  /** The longest time that a run may take. */
  limitMs: number;
}

/** Deletes each world that exists or is being created. A signal affects all verdicts of the process. */
const removers = new Set<() => Promise<void>>();
let departures = 0;

/** No verdict of the process creates another world after this call. */
export async function removeWorlds(): Promise<void> {
  departures++;
  await Promise.allSettled([...removers].map((remove) => remove()));
}

/** Creates no world before `open` is called. */
export function prepareWorlds(server: Server, { keep = false, limitMs, ...options }: WorldsOptions): Worlds {
  const worldsLeft: string[] = [];
  const named = createNamer(keep, limitMs);
  const begun = departures;
  const isOver = () => departures > begun;
  return {
    worldsLeft,
    async open({ webhookUrl, name }) {
      const id = named(name ?? "about");
      // The promise never settles after a signal, so that the caller waits until the process ends.
      const openWorld = () =>
        isOver() ? NEVER : trackWorld(createWorldContext(server, { ...options, webhookUrl, id }));
      const context = await (keep ? openWorld() : retryWhileFull(openWorld));
      if (!keep || name === undefined) return context;
      // The world that was opened to read the description is not kept.
      worldsLeft.push(context.world);
      return { ...context, close: async () => context.relay?.close() };
    },
  };
}

/**
 * Retries while the quota of worlds is used up by our own runs, because one of them will end. Parallel requests may
 * overtake each other.
 */
async function retryWhileFull(open: () => Promise<RunContext>): Promise<RunContext> {
  for (;;) {
    const before = removers.size;
    try {
      return await open();
    } catch (reason) {
      const isAlone = before + removers.size === 0;
      const isFull = reason instanceof SandboxError && reason.code === "QUOTA_EXCEEDED";
      if (!isFull || isAlone) throw reason;
    }
    await pause(RETRY_DELAY_MS);
  }
}

const RETRY_DELAY_MS = 250;
const NEVER = new Promise<never>(() => {});

/** The time that a run takes in addition to the program, and the difference between the clocks of two machines. */
const MARGIN_MS = 600_000;
const ABANDONED = /^verdict-until-([0-9a-z]{8})-/;

const now = (): number => Math.round(performance.timeOrigin + performance.now());

/** Deletes the worlds of killed verdicts. */
export async function removeAbandoned(server: Server): Promise<void> {
  const surface: Control = createControl(server);
  const { items } = await unwrap(surface.GET("/_sandbox/worlds"));
  const isLeft = ({ id }: { id: string }) => Number.parseInt(ABANDONED.exec(id)?.[1] ?? "", 36) < now();
  for (const { id } of items.filter(isLeft))
    await surface.DELETE("/_sandbox/worlds/{worldId}", { params: { path: { worldId: id } } });
}

/** The name is readable for people, and unique among parallel verdicts. */
function createNamer(keep: boolean, limitMs: number): (name: string) => string {
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

function trackWorld(opening: Promise<RunContext>): Promise<RunContext> {
  let removing: Promise<void> | undefined;
  const remove = () => {
    // A world is deleted once, even while it is still being created.
    removing ??= opening.then(({ close }) => close()).finally(() => removers.delete(remove));
    return removing;
  };
  removers.add(remove);
  return opening.then(
    (context) => ({ ...context, close: remove }),
    (reason) => {
      removers.delete(remove);
      throw reason;
    },
  );
}

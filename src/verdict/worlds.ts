// Creates the context of a run: a sandbox in memory, or a world in a running sandbox.

import { setTimeout as pause } from "node:timers/promises";
import { type Control, type Schemas, type Server, unwrap } from "../client/control.ts";
import { createControl } from "../client/create-control.ts";
import { SandboxError } from "../client/sandbox-error.ts";
import { optional } from "../platform/optional.ts";
import { type Relayed, startRelay } from "../stories/index.ts";

/** The values that a program needs to send requests to a sandbox. `sandbox exec` sets the same values as environment variables. */
export interface Connection {
  url: string;
  auth_url: string;
  token_url: string;
  control_url: string;
  client_id: string;
  client_secret: string;
  control_token: string | undefined;
  webhook_secret: string | null;
}

/** `close` deletes everything that was created for the run. */
export interface RunContext {
  connection: Connection;
  control: Control;
  world: string;
  /** Returns the control API of another world of the run. */
  controlIn(world: string): Control;
  /** Forwards the messages of a world in a running sandbox to receivers on this machine. */
  relay?: Relayed;
  close(): Promise<void>;
}

/** The clock is frozen at the fixture's anchor time, so that every run sees the same. */
export interface RunOptions {
  seed: string;
  /** The fixture of a world in a running sandbox. A sandbox in memory is started with its fixture. */
  fixture?: string | undefined;
  webhookUrl?: string | undefined;
  webhookEvents?: readonly string[] | undefined;
}

interface OwnSandbox extends Server {
  close(): Promise<void>;
}

/** Starts a sandbox in memory on a free port. */
export type StartSandbox = (options: RunOptions) => Promise<OwnSandbox>;

export async function startOwnContext(start: StartSandbox, options: RunOptions): Promise<RunContext> {
  const { close, ...server } = await start(options);
  const control = createControl(server, "default");
  try {
    const params = { path: { worldId: "default" } };
    const { items, webhook_secret } = await unwrap(control.GET("/_sandbox/worlds/{worldId}/credentials", { params }));
    // The program gets the first credential of the world, like `sandbox env`.
    const [key] = items;
    if (!key)
      throw new Error("The fixture has no credentials, so no program can send requests. Add a key to the fixture.");
    return {
      connection: toConnection(server, key, webhook_secret ?? null),
      control,
      world: "default",
      controlIn: (id) => createControl(server, id),
      close,
    };
  } catch (reason) {
    // An unusable sandbox is closed.
    await close();
    throw reason;
  }
}

export async function createWorldContext(
  server: Server,
  { seed, fixture, webhookUrl, webhookEvents, id }: RunOptions & { id: string },
): Promise<RunContext> {
  const surface = createControl(server);
  const webhooks = webhookUrl === undefined ? {} : { webhook_url: webhookUrl, webhook_events: webhookEvents };
  const body = { id, clock: "anchor", seed, ...optional({ fixture, ...webhooks }) } as Schemas["WorldInput"];
  const world = await unwrap(surface.POST("/_sandbox/worlds", { body }));
  const params = { path: { worldId: world.id } };
  const control = createControl(server, world.id);
  const remove = async () => void (await surface.DELETE("/_sandbox/worlds/{worldId}", { params }));
  // A sandbox on another machine can't reach a receiver on this one.
  const relay = await startRelay(control, server.url).catch(async (reason) => {
    await remove();
    throw reason;
  });
  return {
    connection: toConnection(server, world, world.webhook_secret ?? null),
    ...{ control, world: world.id, relay, controlIn: (id: string) => createControl(server, id) },
    close: () => {
      relay.close();
      return remove();
    },
  };
}

function toConnection(
  { url, controlToken }: Server,
  { client_id, client_secret }: { client_id: string; client_secret: string },
  webhook_secret: string | null,
): Connection {
  return {
    ...{ url, auth_url: url, token_url: `${url}/oauth2/token`, control_url: `${url}/_sandbox` },
    ...{ client_id, client_secret, control_token: controlToken, webhook_secret },
  };
}

export async function readSubscriptions(control: Control): Promise<Schemas["StoredRecord"][]> {
  const params = { path: { collection: "subscriptions" as const } };
  return (await unwrap(control.GET("/_sandbox/records/{collection}", { params }))).items;
}

/** Rotates the secret of the first subscription. Returns the variable that gives the program both secrets. */
export async function rotateSecret(
  { control, connection }: Pick<RunContext, "control" | "connection">,
  overlap: string,
) {
  const [subscription] = await readSubscriptions(control);
  const params = { path: { subscriptionId: subscription?.id ?? "" } };
  const rotate = "/_sandbox/webhook-subscriptions/{subscriptionId}/rotate-secret";
  const { secret } = await unwrap(control.POST(rotate, { params, body: { overlap } }));
  return { SANDBOX_WEBHOOK_SECRETS: `${connection.webhook_secret} ${secret}` };
}

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

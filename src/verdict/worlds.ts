// Opens the context of a run: a sandbox in memory, or a world in a running sandbox. Such a world is deleted after the run unless it is kept,
// and a signal deletes all of them. Its name contains its expiry, so the next verdict can delete the worlds of a killed one.
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
  getControl(world: string): Control;
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

/** Starts a sandbox in memory on a free port. */
export type StartSandbox = (options: RunOptions) => Promise<Server & { close(): Promise<void> }>;

type Credentials = Pick<Connection, "client_id" | "client_secret"> & { webhook_secret?: string | null | undefined };

function createContext(
  server: Server,
  world: string,
  { client_id, client_secret, webhook_secret = null }: Credentials,
): Omit<RunContext, "close"> {
  const { url, controlToken: control_token } = server;
  const addresses = { url, auth_url: url, token_url: `${url}/oauth2/token`, control_url: `${url}/_sandbox` };
  const getControl = (id: string) => createControl(server, id);
  const connection = { ...addresses, client_id, client_secret, control_token, webhook_secret };
  return { connection, world, control: getControl(world), getControl };
}

export async function startOwnContext(start: StartSandbox, options: RunOptions): Promise<RunContext> {
  const { close, ...server } = await start(options);
  try {
    const params = { path: { worldId: "default" } };
    const found = await unwrap(createControl(server).GET("/_sandbox/worlds/{worldId}/credentials", { params }));
    // The program gets the first credential of the world, like `sandbox env`.
    const [key] = found.items;
    if (!key)
      throw new Error("The fixture has no credentials, so no program can send requests. Add a key to the fixture.");
    return { ...createContext(server, "default", { ...key, webhook_secret: found.webhook_secret }), close };
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
  const context = createContext(server, world.id, world);
  const remove = async () =>
    void (await surface.DELETE("/_sandbox/worlds/{worldId}", { params: { path: { worldId: id } } }));
  // A sandbox on another machine can't reach a receiver on this one.
  const relay = await startRelay(context.control, server.url).catch(async (reason) => {
    await remove();
    throw reason;
  });
  const close = () => {
    relay.close();
    return remove();
  };
  return { ...context, relay, close };
}

export type CollectionName = Schemas["CollectionName"];

/** Records in one response. */
const PAGE_SIZE = 500;

/** Reads all pages of a collection. */
export async function readRecords(
  control: Control,
  collection: CollectionName,
  where: string[] = [],
): Promise<Schemas["StoredRecord"][]> {
  const found: Schemas["StoredRecord"][] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: PAGE_SIZE, ...(where.length > 0 && { where }), ...(cursor !== undefined && { cursor }) };
    const page = await unwrap(
      control.GET("/_sandbox/records/{collection}", { params: { path: { collection }, query } }),
    );
    found.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return found;
}

/** Rotates the secret of the first subscription. Returns the variable that gives the program both secrets. */
export async function rotateSecret(
  { control, connection }: Pick<RunContext, "control" | "connection">,
  overlap: string,
) {
  const [subscription] = await readRecords(control, "subscriptions");
  const params = { path: { subscriptionId: subscription?.id ?? "" } };
  const rotate = "/_sandbox/webhook-subscriptions/{subscriptionId}/rotate-secret";
  const { secret } = await unwrap(control.POST(rotate, { params, body: { overlap } }));
  return { SANDBOX_WEBHOOK_SECRETS: `${connection.webhook_secret} ${secret}` };
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
export function prepareWorlds(server: Server, { keep = false, limitMs, ...options }: WorldsOptions) {
  const worldsLeft: string[] = [];
  const createName = createNamer(keep, limitMs);
  const begun = departures;
  const open = async ({ webhookUrl, name }: { webhookUrl?: string | undefined; name?: string | undefined }) => {
    const id = createName(name ?? "about");
    // The promise never settles after a signal, so that the caller waits until the process ends.
    const openWorld = () =>
      departures > begun ? NEVER : trackWorld(createWorldContext(server, { ...options, webhookUrl, id }));
    const context = await (keep ? openWorld() : retryWhileFull(openWorld));
    if (!keep || name === undefined) return context;
    // The world that was opened to read the description is not kept.
    worldsLeft.push(context.world);
    return { ...context, close: async () => context.relay?.close() };
  };
  return { open, worldsLeft };
}

const RETRY_DELAY_MS = 250;
const NEVER = new Promise<never>(() => {});

/** Retries while the quota of worlds is used up by our own runs, because one of them will end. */
async function retryWhileFull(open: () => Promise<RunContext>): Promise<RunContext> {
  for (;;) {
    const before = removers.size;
    try {
      return await open();
    } catch (reason) {
      // Parallel requests may overtake each other.
      const isAlone = before + removers.size === 0;
      if (!(reason instanceof SandboxError && reason.code === "QUOTA_EXCEEDED") || isAlone) throw reason;
    }
    await pause(RETRY_DELAY_MS);
  }
}

/** The time that a run takes in addition to the program, and the difference between the clocks of two machines. */
const MARGIN_MS = 600_000;
const ABANDONED = /^verdict-until-([0-9a-z]{8})-/;

const now = (): number => Math.round(performance.timeOrigin + performance.now());

/** Deletes the worlds of killed verdicts, because they count against the quota. */
export async function removeAbandoned(server: Server): Promise<void> {
  const surface = createControl(server);
  const { items } = await unwrap(surface.GET("/_sandbox/worlds"));
  for (const { id } of items)
    if (Number.parseInt(ABANDONED.exec(id)?.[1] ?? "", 36) < now())
      await surface.DELETE("/_sandbox/worlds/{worldId}", { params: { path: { worldId: id } } });
}

/** The name is readable for people, and unique among parallel verdicts. */
function createNamer(keep: boolean, limitMs: number): (name: string) => string {
  const stamp = now().toString(36);
  const times = new Map<string, number>();
  return (name) => {
    const nth = (times.get(name) ?? 0) + 1;
    times.set(name, nth);
    const until = keep && name !== "about" ? "" : `until-${(now() + limitMs + MARGIN_MS).toString(36)}-`;
    return `verdict-${until}${stamp}-${name.toLowerCase()}${nth === 1 ? "" : `-${nth}`}`;
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

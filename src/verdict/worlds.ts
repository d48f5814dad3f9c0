// Opens the context of a run: a sandbox in memory, or a world in a running sandbox. Such a world is deleted after the run unless it is kept,
// and a signal deletes all of them. Also reads what the API description of the sandbox says.

import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type Control, type Schemas, type Server, unwrap } from "../client/control.ts";
import { createControl } from "../client/create-control.ts";
import { SandboxError } from "../client/sandbox-error.ts";
import { type Json, operationsOf } from "../contract/document/document.ts";
import { optional } from "../platform/optional.ts";
import { sendRequest } from "../platform/send-request.ts";
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
interface RunOptions {
  seed: string;
  /** The fixture of a world in a running sandbox. A sandbox in memory is started with its fixture. */
  fixture?: string | undefined;
  webhookUrl?: string | undefined;
  webhookEvents?: readonly string[] | undefined;
}

/** Starts a sandbox in memory on a free port. */
type StartSandbox = (options: RunOptions) => Promise<Server & { close(): Promise<void> }>;

type Credentials = Pick<Connection, "client_id" | "client_secret"> & { webhook_secret?: string | null | undefined };

function createContext(server: Server, world: string, credentials: Credentials): Omit<RunContext, "close"> {
  const { client_id, client_secret, webhook_secret = null } = credentials;
  const { url, controlToken: control_token } = server;
  const addresses = { url, auth_url: url, token_url: `${url}/oauth2/token`, control_url: `${url}/_sandbox` };
  const getControl = (id: string) => createControl(server, id);
  const connection = { ...addresses, client_id, client_secret, control_token, webhook_secret };
  return { connection, world, control: getControl(world), getControl };
}

async function startOwnContext(start: StartSandbox, options: RunOptions): Promise<RunContext> {
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

/** Deletes each world that exists or is being created. A signal affects all verdicts of the process. */
const removers = new Set<() => Promise<void>>();
let departures = 0;

/** No verdict of the process creates another world after this call. */
export async function removeWorlds(): Promise<void> {
  departures++;
  await Promise.allSettled([...removers].map((remove) => remove()));
}

/** The time that a run takes in addition to the program, and the difference between the clocks of two machines. */
const MARGIN_MS = 600_000;
/** The worlds of killed verdicts. Their names contain when they expire. */
const ABANDONED = /^verdict-until-([0-9a-z]{8})-/;

const readWallMs = (): number => Math.round(performance.timeOrigin + performance.now());

/** Deletes the worlds of killed verdicts, because they count towards the quota. */
async function removeAbandoned(server: Server): Promise<void> {
  const surface = createControl(server);
  const { items } = await unwrap(surface.GET("/_sandbox/worlds"));
  for (const { id: worldId } of items)
    if (Number.parseInt(ABANDONED.exec(worldId)?.[1] ?? "", 36) < readWallMs())
      await surface.DELETE("/_sandbox/worlds/{worldId}", { params: { path: { worldId } } });
}

type WorldsOptions = Omit<RunTarget, "start" | "server"> & Pick<ProgramRuns, "limitMs">;

/** Creates no world before `open` is called. */
function prepareWorlds(server: Server, { keep = false, limitMs, ...options }: WorldsOptions) {
  const worldsLeft: string[] = [];
  // The names are readable for people, and unique among parallel verdicts.
  const stamp = readWallMs().toString(36);
  let number = 0;
  const begun = departures;
  const open = async ({ webhookUrl, name }: OpenOptions) => {
    const isRetained = keep && name !== undefined;
    const until = isRetained ? "" : `until-${(readWallMs() + limitMs + MARGIN_MS).toString(36)}-`;
    const id = `verdict-${until}${stamp}-${++number}-${(name ?? "about").toLowerCase()}`;
    // The promise never settles after a signal, so that the caller waits until the process ends.
    const openWorld = () =>
      departures > begun ? NEVER : trackWorld(createWorldContext(server, { ...options, webhookUrl, id }));
    const context = await (keep ? openWorld() : retryWhileFull(openWorld));
    if (!isRetained) return context;
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

/** How the program ended. A program that serves has no exit code. */
export interface ProgramEnd {
  /** Undefined if the program was stopped. */
  code: number | undefined;
  /** `too-long`: it did not end in time. `served`: it serves, and was stopped when nothing more was expected. */
  stopped?: "too-long" | "served";
  /** The end of its output. */
  output: string;
  /** The end of its output to stderr, if known. */
  errors?: string;
  /** The reason why it could not be started. */
  notStarted?: string;
}

/** What the API description says about the operations. */
export interface Service {
  /** The scopes by operationId. */
  scopesByOperation: ReadonlyMap<string, readonly string[]>;
  /** The operations that require Accept-Language. */
  needsLanguage: ReadonlySet<string>;
}

type Variables = Readonly<Record<string, string>>;

/** `ended` also resolves if the program could not be started. `stop` may be called at any time. */
export interface Running {
  ended: Promise<ProgramEnd>;
  stop(): void;
}

/** Starts the program with the environment of `sandbox exec` and additional variables. */
export type Launch = (connection: Connection, more: Variables) => Running;

interface ProgramRuns {
  launch: Launch;
  /** The address of the program's receiver. `{port}` is replaced by a free port, which the program reads from PORT. */
  webhookUrl?: string | undefined;
  /** The longest time that a run may take, in milliseconds. */
  limitMs: number;
  /** Reads the program's own state at the end of a run. `more` contains the additional variables of the program. */
  probe?: ((connection: Connection, more: Variables) => Promise<unknown>) | undefined;
  /** Creates an empty folder for the program's files, which it finds in SANDBOX_RUN_FOLDER. */
  freshFolder?: (() => string) | undefined;
}

interface OpenOptions extends Pick<RunOptions, "webhookUrl"> {
  name?: string;
}

/** The environment is created once for all runs of a verdict. */
export interface RunEnvironment extends ProgramRuns {
  /** Opens a new world that is named after the run. */
  open(options: OpenOptions): Promise<RunContext>;
  service: Service;
  /** Set after the first run: the program does not end by itself. */
  serves?: boolean;
}

export interface RunTarget extends Omit<RunOptions, "webhookUrl"> {
  start: StartSandbox;
  /** A running sandbox. Without it, `start` creates a sandbox for each run. */
  server?: Server | undefined;
  /** The worlds of the runs stay in the running sandbox. */
  keep?: boolean | undefined;
}

export type RunSettings = RunTarget & ProgramRuns;

export type SandboxDescription = Schemas["Verdict"]["sandbox"];

/** Opens a sandbox to read its description, and closes it again. Rejects if there is no sandbox. */
export async function prepareRuns({ server, keep, start, seed, fixture, webhookEvents, ...rest }: RunSettings) {
  if (server) await removeAbandoned(server);
  const { limitMs } = rest;
  const { open, worldsLeft } = server
    ? prepareWorlds(server, { seed, keep, fixture, webhookEvents, limitMs })
    : {
        open: ({ webhookUrl }: OpenOptions) => startOwnContext(start, { seed, webhookUrl }),
        worldsLeft: [],
      };
  const context = await open({});
  try {
    const { service, about } = await readService(context);
    const environment: RunEnvironment = { ...rest, open, service };
    return { environment, about, worldsLeft };
  } finally {
    await context.close();
  }
}

async function readService({ control, connection }: RunContext) {
  const { version, fixture, flips, url } = await unwrap(control.GET("/_sandbox"));
  const { items } = await unwrap(control.GET("/_sandbox/assumptions"));
  const text = await (await sendRequest(`${connection.url}/openapi.json`)).text();
  // The address differs between runs, so it is removed before hashing.
  const specification = digest(text.replaceAll(connection.url, "").replaceAll(url, ""));
  const about: SandboxDescription = { version, fixture, flips, specification, register: digest(JSON.stringify(items)) };
  return { service: toService(JSON.parse(text) as Json), about };
}

/** Reads from an API description which scopes each operation needs, and which operations need a language. */
export function toService(document: Json): Service {
  const operations = operationsOf(document);
  const needsLanguage = operations.filter(({ parameters }) =>
    parameters.some(({ name, required }) => required && name.toLowerCase() === "accept-language"),
  );
  return {
    scopesByOperation: new Map(operations.map(({ id, scopes = [] }) => [id, scopes])),
    needsLanguage: new Set(needsLanguage.map(({ id }) => id)),
  };
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

// The environment of a run: how its world is opened, how the program is started, and how long it may take.

import { type Schemas, type Server, unwrap } from "../client/control.ts";
import { type Json, operationsOf, type Parameter } from "../contract/document/document.ts";
import { sendRequest } from "../platform/send-request.ts";
import type { ProgramEnd } from "./observed.ts";
import {
  type Connection,
  prepareWorlds,
  type RunContext,
  type RunOptions,
  removeAbandoned,
  type StartSandbox,
  startOwnContext,
  type Worlds,
} from "./worlds.ts";

/** `ended` also resolves if the program could not be started. `stop` may be called at any time. */
export interface Running {
  ended: Promise<ProgramEnd>;
  stop(): void;
}

/** Starts the program with the environment of `sandbox exec` and additional variables. */
export type Launch = (connection: Connection, more: Readonly<Record<string, string>>) => Running;

/** The environment is created once for all runs of a verdict. */
export interface RunEnvironment {
  /** Opens a new world that is named after the run. */
  open(options: Pick<RunOptions, "webhookUrl"> & { name?: string }): Promise<RunContext>;
  service: Service;
  launch: Launch;
  /** The address of the program's receiver. `{port}` is replaced by a free port, which the program reads from PORT. */
  webhookUrl?: string | undefined;
  /** The longest time that a run may take. */
  limitMs: number;
  /** Set after the first run: the program does not end by itself. */
  serves?: boolean;
  /** Reads the program's own state at the end of a run. `more` contains the additional variables of the program. */
  probe?: ((connection: Connection, more: Readonly<Record<string, string>>) => Promise<unknown>) | undefined;
  /** Creates an empty folder for the program's files, which it finds in SANDBOX_RUN_FOLDER. */
  freshFolder?: (() => string) | undefined;
}

export interface Service {
  /** The scopes by operationId. */
  scopesOf: ReadonlyMap<string, readonly string[]>;
  /** The operations that require Accept-Language. */
  needsLanguage: ReadonlySet<string>;
}

export type SandboxDescription = Schemas["Verdict"]["sandbox"];

/** Reads the description once, because it does not change between runs. */
export async function readService({
  control,
  connection,
}: Pick<RunContext, "control" | "connection">): Promise<{ service: Service; about: SandboxDescription }> {
  const { version, fixture, flips, url } = await unwrap(control.GET("/_sandbox"));
  const { items } = await unwrap(control.GET("/_sandbox/assumptions"));
  const text = await (await sendRequest(`${connection.url}/openapi.json`)).text();
  const document = JSON.parse(text) as Json;
  // The address differs between runs, so it is removed before hashing.
  const specification = await digest(text.replaceAll(connection.url, "").replaceAll(url, ""));
  const register = await digest(JSON.stringify(items));
  return { service: toService(document), about: { version, fixture, flips, specification, register } };
}

export function toService(document: Json): Service {
  const operations = operationsOf(document);
  const isLanguage = ({ name, required }: Parameter) => required && name.toLowerCase() === "accept-language";
  return {
    scopesOf: new Map(operations.map(({ id, scopes = [] }) => [id, scopes])),
    needsLanguage: new Set(operations.filter(({ parameters }) => parameters.some(isLanguage)).map(({ id }) => id)),
  };
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Buffer.from(bytes).toString("hex");
}

export interface RunTarget {
  seed: string;
  start: StartSandbox;
  /** A running sandbox. Without it, `start` creates a sandbox for each run. */
  server?: Server | undefined;
  /** The fixture of each world in a running sandbox. Default: the fixture of the sandbox. */
  fixture?: string | undefined;
  webhookEvents?: readonly string[] | undefined;
  /** The worlds of the runs stay in the running sandbox. */
  keep?: boolean | undefined;
}

interface PreparedRuns {
  environment: RunEnvironment;
  about: SandboxDescription;
  /** The ids of the worlds that stay. The list grows with each run. */
  worldsLeft: readonly string[];
}

/** Opens a sandbox to read its description, and closes it again. Rejects if there is no sandbox. */
export async function prepareRuns({
  server,
  keep,
  start,
  seed,
  fixture,
  webhookEvents,
  ...rest
}: RunTarget & Omit<RunEnvironment, "open" | "service">): Promise<PreparedRuns> {
  // Worlds of a killed verdict count against the quota.
  if (server) await removeAbandoned(server);
  const { open, worldsLeft }: Worlds = server
    ? prepareWorlds(server, { seed, keep, fixture, webhookEvents, limitMs: rest.limitMs })
    : { open: ({ webhookUrl }) => startOwnContext(start, { seed, webhookUrl }), worldsLeft: [] };
  const context = await open({});
  try {
    const { service, about } = await readService(context);
    return { environment: { ...rest, open, service }, about, worldsLeft };
  } finally {
    await context.close();
  }
}

// Prepares the environment of runs: how a world is opened, how the program is started, and what the API description of the sandbox says.
import { createHash } from "node:crypto";
import { type Schemas, type Server, unwrap } from "../client/control.ts";
import { type Json, operationsOf } from "../contract/document/document.ts";
import { sendRequest } from "../platform/send-request.ts";
import type { ProgramEnd, Service } from "./observed.ts";
import {
  type Connection,
  prepareWorlds,
  type RunContext,
  type RunOptions,
  removeAbandoned,
  type StartSandbox,
  startOwnContext,
} from "./worlds.ts";

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

/** The environment is created once for all runs of a verdict. */
export interface RunEnvironment extends ProgramRuns {
  /** Opens a new world that is named after the run. */
  open(options: Pick<RunOptions, "webhookUrl"> & { name?: string }): Promise<RunContext>;
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
        open: ({ webhookUrl }: Pick<RunOptions, "webhookUrl">) => startOwnContext(start, { seed, webhookUrl }),
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

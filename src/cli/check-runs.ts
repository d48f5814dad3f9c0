// Runs a program against sandboxes: their options, a sandbox per run, stopping on a signal, and the state of the program.
import { type ExecException, exec } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import type { Server } from "../client/control.ts";
import { SandboxError } from "../client/sandbox-error.ts";
import type { Settings } from "../engine/settings.ts";
import type { Connection } from "../verdict/index.ts";
import { nameByOptions, readUrl, sendToSandbox, toFailure } from "./client.ts";
import type { Call } from "./command.ts";
import { CONNECTION_LOST, Failure, Misuse, UNREACHABLE, Unjudged } from "./failure.ts";
import { createLauncher, stopAll } from "./launch.ts";
import { createGiven, type Given, getText, type Option, readOptions } from "./options.ts";
import { addPosition, configurable, createOwnSandboxOptions, readSettings, startOptions } from "./start-settings.ts";
import { toExitCode, waitForStopSignal } from "./stop-signal.ts";
import { toEnvironment } from "./terminal/connection-info.ts";
import type { Terminal } from "./terminal/terminal.ts";

const STORAGE_OPTIONS = ["data", "memory", "database", "wait-for", "fresh", "durability", "worlds-in-memory"];
const SERVER_OPTIONS = ["port", "host", "node-url", "public-url", "cors", "metrics-token", "log-bytes", "quiet"];
/** The commands have options of their own with these names. */
const REDEFINED_OPTIONS = ["seed", "json", "control-token"];
/** Options of `start` that make no sense for the short-lived sandbox of a run, or that the command sets itself. */
const EXCLUDED_OPTIONS = new Set([...STORAGE_OPTIONS, ...SERVER_OPTIONS, ...REDEFINED_OPTIONS]);
/** Options that a configuration file may set. `clock` is excluded: a run needs a held clock, otherwise two runs would differ. */
export const configuredForRuns = configurable.filter((name) => !EXCLUDED_OPTIONS.has(name) && name !== "clock");

/** Options for the sandbox of a run. */
export const runOptions: readonly Option[] = createOwnSandboxOptions(EXCLUDED_OPTIONS, {
  clock: {
    default: "anchor",
    meaning: "Hold the clock of each run at this instant; `anchor`: the fixture's own.",
    environment: undefined,
  },
});

/** Options that apply to each world of a running sandbox. All other options of `start` are fixed at its start. */
const WORLD_OPTIONS = new Set(["fixture", "webhook-url", "webhook-events"]);

/** The options that affect the result of a check or a soak, besides the seed. */
const REPEATED_OPTIONS = new Set([...runOptions.map(({ name }) => name), "url", "probe", "rate", "scope", "without"]);

/** Returns the options as the user typed them, for the command that repeats a check or a soak. */
function listRepeatedOptions(given: Given, options: readonly Option[]): string[] {
  return options
    .filter(({ name }) => REPEATED_OPTIONS.has(name) && name !== "option" && given.source(name) === "flag")
    .flatMap(({ name, isTypedByName }) => {
      const value = given.value(name);
      // A list option is repeated once per value.
      const values = [value].flat();
      if (isTypedByName) return values.flatMap((each) => ["--option", `${name}=${String(each)}`]);
      return value === true ? [`--${name}`] : values.flatMap((each) => [`--${name}`, String(each)]);
    });
}

/** How to start the program and its sandboxes, and how to repeat the command. */
function describeRuns({ args, given, terminal, environment }: Call, options: readonly Option[]) {
  return {
    ...createTarget(given, terminal),
    seed: getText(given, "seed"),
    command: args,
    given: listRepeatedOptions(given, options),
    launch: createLauncher(args, environment),
  };
}

interface Runs extends ReturnType<typeof describeRuns> {
  keep: boolean;
  freshFolder(): string;
  /** Returns true after a signal. */
  isOver(): boolean;
  stopped: Promise<unknown>;
}

/**
 * Runs the program of a command, and returns the exit code of `work` or of the signal that stopped it. A second signal ends the process
 * immediately (see `waitForStopSignal`). With `keep`, a sandbox that the command starts runs until Ctrl-C.
 */
export async function runProgram(
  call: Call,
  { options, keep }: { options: readonly Option[]; keep: boolean },
  work: (runs: Runs) => Promise<number>,
): Promise<number> {
  const runs = describeRuns(call, options);
  let signal: NodeJS.Signals | undefined;
  const stopped = waitForStopSignal().then((name) => (signal = name));
  const isOver = () => signal !== undefined;
  const own = keep && !runs.server ? await runs.start({ seed: runs.seed }) : undefined;
  try {
    const server = own ?? runs.server;
    const code = await withRunFolders((freshFolder) => work({ ...runs, server, keep, freshFolder, isOver, stopped }));
    if (signal) return toExitCode(signal);
    if (own) {
      call.terminal.say(`The sandbox at ${own.url} runs until Ctrl-C.`);
      await stopped;
    }
    return code;
  } catch (reason) {
    throw toRunFailure(reason);
  } finally {
    await own?.close();
  }
}

/** Returns undefined if a signal stopped the work. On a signal or an error, programs are stopped and worlds removed first. */
export async function runStoppable<T>(work: Promise<T>, { isOver, stopped }: Runs): Promise<T | undefined> {
  const { removeWorlds } = await import("../verdict/index.ts");
  const leave = async (): Promise<undefined> => {
    stopAll();
    await removeWorlds();
  };
  let isDone = false;
  // A signal after the end of the work has nothing left to stop.
  const left = stopped.then(() => (isDone ? undefined : leave()));
  return Promise.race([work.finally(() => (isDone = true)), left]).catch(async (reason) => {
    // Errors after the signal are ignored: the worlds were removed while the work still used them.
    if (isOver()) return left;
    await leave();
    throw reason;
  });
}

const LOST_CODES = new Set([UNREACHABLE, CONNECTION_LOST, "SERVICE_UNAVAILABLE"]);

/** The options that give the fields of a request that creates a world. */
const WORLD_FIELDS = ["clock", "fixture", "seed", "webhook_events", "webhook_url"];
const NAME_VALUE = nameByOptions(WORLD_FIELDS);

/** Converts an error into a failure of a command: `Unjudged` for a lost sandbox, because that says nothing about the program. */
function toRunFailure(reason: unknown): unknown {
  const failure =
    reason instanceof SandboxError ? toFailure(reason, reason.status, "the sandbox", { value: NAME_VALUE }) : reason;
  return failure instanceof Failure && LOST_CODES.has(failure.code)
    ? new Unjudged(failure.message, failure.code)
    : failure;
}

/** Returns where runs take place: `server` is the running sandbox of --url; without --url, `start` creates a sandbox per run. */
function createTarget(given: Given, terminal: Terminal) {
  const [url, webhookUrl, events] = [given.text("url"), given.text("webhook-url"), given.list("webhook-events")];
  return {
    server: url === undefined ? undefined : createSharedServer(readUrl(given.label("url"), url), given, terminal),
    // A shared sandbox has its own default fixture, so only a typed --fixture is sent.
    fixture: given.source("fixture") === "flag" ? given.text("fixture") : undefined,
    webhookUrl,
    webhookEvents: events.length > 0 ? events : undefined,
    async start(options: { seed: string; webhookUrl?: string | undefined }) {
      const { startOwnSandbox } = await import("./own-sandbox.ts");
      return startOwnSandbox({ ...readRunSettings(given), ...options }).catch(addPosition(given));
    },
  };
}

function createSharedServer(url: string, given: Given, terminal: Terminal): Server {
  const others = startOptions.filter(({ name }) => !EXCLUDED_OPTIONS.has(name) && !WORLD_OPTIONS.has(name));
  // Such an option would silently have no effect.
  const wrong = others.find(({ name }) => given.source(name) === "flag");
  if (wrong)
    throw new Misuse(
      `${given.label(wrong.name)} applies to a sandbox that this command starts, but the one at ${url} is running already. Leave out ${given.label(wrong.name)} or --url.`,
    );
  return { url, controlToken: given.text("control-token"), send: createRetryingSend(terminal) };
}

/** Methods that are safe to send twice (idempotent, RFC 9110 §9.2.2). */
const IDEMPOTENT = new Set(["GET", "PUT", "DELETE"]);
/** Delays before each retry. They are long enough for another node to take over the worlds of one that stops. */
const RETRY_DELAYS_MS = [100, 1000, 3000];

/**
 * Returns a function that sends requests and retries. Idempotent requests are retried after a lost connection or a 503, once the address
 * has responded. A 429 is retried after its Retry-After, because the quota of a team renews every minute.
 */
function createRetryingSend(terminal: Terminal): (request: Request) => Promise<Response> {
  let hasResponded = false;
  return async (request) => {
    for (let attempt = 0; ; attempt++) {
      const wait = RETRY_DELAYS_MS[attempt];
      const mayRepeat = hasResponded && wait !== undefined && IDEMPOTENT.has(request.method);
      const response = await sendToSandbox(request.clone()).catch((reason) => {
        if (!mayRepeat) throw reason;
      });
      if (response) hasResponded = true;
      const seconds = Number(response?.headers.get("retry-after"));
      if (response?.status === 429 && seconds > 0) {
        terminal.say(`Waiting ${seconds} s: the sandbox responds with 429.`);
        await pause(seconds * 1000);
        attempt = -1;
      } else if (response && !(response.status === 503 && mayRepeat)) return response;
      else await pause(wait);
    }
  };
}

/** Returns the settings of the sandbox of a run. Excluded options have their defaults. */
function readRunSettings(given: Given): Settings {
  const defaults = readOptions(startOptions, {}, {});
  const choose = (name: string) => (EXCLUDED_OPTIONS.has(name) ? defaults : given);
  const own = createGiven({
    source: (name) => choose(name).source(name),
    label: (name) => choose(name).label(name),
    // Each run replaces {port} with a port of its own. Any port makes the URL valid for the check of the settings.
    value: (name) =>
      name === "webhook-url" ? given.text(name)?.replaceAll("{port}", "3000") : choose(name).value(name),
  });
  // The log is large because the verdict is based on it.
  return { ...readSettings(own), port: 0, data: undefined, logBytes: 256 * 1024 * 1024 };
}

const MAX_PROBE_MS = 10_000;

/** Returns a function that runs the --probe command in the environment of the program, and parses the JSON that it prints. */
export function createProbe(command: string | undefined, environment: Call["environment"], limitMs = MAX_PROBE_MS) {
  if (command === undefined) return undefined;
  return async (connection: Connection, more: Readonly<Record<string, string>> = {}): Promise<unknown> => {
    const env = { ...environment, ...toEnvironment(connection), ...more };
    // The command runs in a shell, because probes often contain pipes.
    const { stdout } = await promisify(exec)(command, { env, timeout: limitMs }).catch((error: ExecException) => {
      throw new Failure(`The probe \`${command}\` ${describeEnd(error, limitMs)}`);
    });
    try {
      return JSON.parse(stdout) as unknown;
    } catch {
      throw new Failure(
        `The probe \`${command}\` must print JSON, and printed ${JSON.stringify(stdout.slice(0, 80))}.`,
      );
    }
  };
}

/** Describes how a command failed, with its last line on stderr. */
function describeEnd({ code, signal, killed, stderr = "" }: ExecException, limitMs: number): string {
  const last = stderr.trim().split("\n").at(-1)?.slice(0, 200);
  const rest = last ? `: ${last}` : " and wrote nothing to stderr.";
  if (killed) return `took longer than its limit of ${limitMs / 1000} s${rest}`;
  return `failed with ${signal ? `signal ${signal}` : `exit code ${code}`}${rest}`;
}

/** Runs the work with a function that creates an empty folder for each run, and removes all folders afterwards. */
export async function withRunFolders<T>(work: (freshFolder: () => string) => Promise<T>): Promise<T> {
  const folders = mkdtempSync(join(tmpdir(), "sandbox-runs-"));
  try {
    return await work(() => mkdtempSync(join(folders, "run-")));
  } finally {
    // A program that was just stopped may still write files, so the removal is retried.
    rmSync(folders, { recursive: true, force: true, maxRetries: 5 });
  }
}

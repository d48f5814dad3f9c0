// Shared code of the commands that run a program against sandboxes: their options, a sandbox per run, stopping on a signal, the selection of
// checks, and the state of the program.
import { type ExecException, exec } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import type { Server } from "../client/control.ts";
import { SandboxError } from "../client/sandbox-error.ts";
import { readBounded } from "../platform/bounded-file.ts";
import type { Check, Connection } from "../verdict/index.ts";
import type { Profile } from "../verdict/profiles/index.ts";
import { readUrl, sendToSandbox } from "./client.ts";
import { type Call, jsonOption, option, playerOptions } from "./command.ts";
import { CONNECTION_LOST, Failure, Misuse, readInput, rejectUnknown, UNREACHABLE, Unjudged } from "./failure.ts";
import { createLauncher, stopAll } from "./launch.ts";
import { createGiven, type Given, getText, type Option } from "./options.ts";
import { nameByOptions, toFailure } from "./rejection.ts";
import { checkReportOption } from "./reports.ts";
import { addPosition, configurable, createOwnSandboxOptions, readSettings, startOptions } from "./start-settings.ts";
import { waitForStopSignal } from "./stop-signal.ts";
import { toEnvironment } from "./terminal/connection-info.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** Options of `start` that make no sense for the short-lived sandbox of a run, or that the verdict sets itself. */
const EXCLUDED_OPTIONS = new Set([
  ...["port", "host", "data", "memory", "database", "wait-for", "fresh", "durability", "seed"],
  ...["json", "quiet", "log-bytes", "control-token", "cors"],
  ...["node-url", "public-url", "worlds-in-memory", "metrics-token"],
]);
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

export const profileOptions: readonly Option[] = [
  option.text("profile", "NAME", "Judge by a profile, such as reader, reseller or accounting."),
  option.text("profiles", "FILE", "Add profiles from a file in the format of spec/profiles.yaml."),
];

export const strictOption = option.flag("strict", "Fail on warnings and on required checks that were not exercised.");

export const probeOption = option.text(
  "probe",
  "CMD",
  "Shell command that prints the program's state as JSON, such as its bookings.",
);

/** The order is that of the help. */
export const verdictOptions: readonly Option[] = [
  option.list("only", "a,b", "Run only these checks, such as RETRY-01, or groups, such as RETRY."),
  ...profileOptions,
  probeOption,
  strictOption,
  checkReportOption,
  option.text("baseline", "FILE", "Earlier verdict as JSON. Its failures are known and don't fail again."),
  option.flag("keep", "Keep all worlds and show the verdict in the console (until Ctrl-C without --url)."),
  option.text("seed", "N", "Seed for all random choices.", { default: "7" }),
  option.number("jobs", "N", "Parallel runs; default: the number of cores."),
  option.number("timeout", "S", "Time limit of one run in seconds.", { default: 120 }),
  ...playerOptions,
  ...runOptions,
  jsonOption,
];

/** Options that apply to each world of a running sandbox. All other options of `start` are fixed at its start. */
const WORLD_OPTIONS = new Set(["fixture", "webhook-url", "webhook-events"]);

/** Options that the command for repeating a check sets itself, or that do not affect the result. */
const NOT_REPEATED = new Set([
  ...["only", "profile", "profiles", "seed", "explain", "report", "baseline", "keep", "json"],
  ...["jobs", "timeout", "strict", "control-token", "days", "steps", "shrink", "out", "force", "budget"],
  "option",
]);

/** Returns the options as the user typed them, for the command that repeats a check or a soak. */
function listRepeatedOptions(given: Given, options: readonly Option[] = verdictOptions): string[] {
  return options
    .filter(({ name }) => !NOT_REPEATED.has(name) && given.source(name) === "flag")
    .flatMap(({ name, isTypedByName }) => {
      const value = given.value(name);
      // A list option is repeated once per value.
      const values = [value].flat();
      if (isTypedByName) return values.flatMap((each) => ["--option", `${name}=${String(each)}`]);
      return value === true ? [`--${name}`] : values.flatMap((each) => [`--${name}`, String(each)]);
    });
}

/** Reads the profile that --profile names: a built-in one, or one of --profiles. Throws a Misuse that lists the known names. */
export async function readProfile(given: Given): Promise<Profile | undefined> {
  const [name, file] = [given.text("profile"), given.text("profiles")];
  if (name === undefined && file !== undefined)
    throw new Misuse(`--profiles ${file} defines profiles, but none is selected. Select one with --profile NAME.`);
  if (name === undefined) return undefined;
  const { profiles, readProfiles, ProfileError } = await import("../verdict/profiles/index.ts");
  const readOwn = (path: string) => readProfiles(readBounded(path, { most: 1024 * 1024 }), path);
  const own =
    file === undefined
      ? []
      : readInput(() => readOwn(file), `--profiles ${file}`, "Name a file of profiles.", ProfileError);
  // A profile of the file replaces a built-in one with the same name.
  const all = new Map([...profiles, ...own].map((each) => [each.name, each]));
  const found = all.get(name);
  if (!found) throw rejectUnknown("There is no profile", name, all.keys());
  return found;
}

/**
 * Returns the result of the work, or the signal that stopped it. On a signal or an error, programs are stopped and worlds removed first.
 * A second signal ends the process immediately (see `waitForStopSignal`).
 */
export async function runStoppable<T>(work: Promise<T>): Promise<T | NodeJS.Signals> {
  const { removeWorlds } = await import("../verdict/index.ts");
  let [isDone, isStopping] = [false, false];
  const leave = async () => {
    stopAll();
    await removeWorlds();
  };
  // A signal after the end of the work has nothing left to stop.
  const stopped = waitForStopSignal().then(async (signal) => {
    isStopping = !isDone;
    if (isStopping) await leave();
    return signal;
  });
  const done = work.finally(() => (isDone = true));
  return Promise.race([done, stopped]).catch(async (reason) => {
    // Errors after the signal are ignored: the worlds were removed while the work still used them.
    if (isStopping) return stopped;
    await leave();
    throw toRunFailure(reason);
  });
}

const LOST_CODES = new Set([UNREACHABLE, CONNECTION_LOST, "SERVICE_UNAVAILABLE"]);

/** The options that give the fields of a request that creates a world. */
const NAME_VALUE = nameByOptions({
  clock: "--clock",
  fixture: "--fixture",
  seed: "--seed",
  webhook_events: "--webhook-events",
  webhook_url: "--webhook-url",
});

/** Converts an error into a failure of a command: `Unjudged` for a lost sandbox, because that says nothing about the program. */
export function toRunFailure(reason: unknown): unknown {
  const failure =
    reason instanceof SandboxError ? toFailure(reason, reason.status, "the sandbox", { value: NAME_VALUE }) : reason;
  return failure instanceof Failure && LOST_CODES.has(failure.code)
    ? new Unjudged(failure.message, failure.code)
    : failure;
}

/** Reads the verdict file that `option` names. Returns undefined without the option. */
export function readVerdict<T>(given: Given, option: string, read: (text: string) => T): T | undefined {
  const file = given.text(option);
  if (file === undefined) return undefined;
  const advice = `Write it with \`sandbox check --report json=${file} -- <command>\`.`;
  return readInput(() => read(readBounded(file)), `--${option} ${file}`, advice);
}

/** Returns where runs take place: `server` is the running sandbox of --url; without --url, `start` creates a sandbox per run. */
export function createTarget({ given, terminal }: Pick<Call, "given" | "terminal">) {
  const url = given.text("url");
  const server = url === undefined ? undefined : createSharedServer(readUrl(given.label("url"), url), given, terminal);
  return { server, ...createOwnTarget({ given }) };
}

function createOwnTarget({ given }: Pick<Call, "given">) {
  const webhookUrl = given.text("webhook-url");
  const start = async (options: { seed: string; webhookUrl?: string | undefined }) => {
    const { startOwnSandbox } = await import("./own-sandbox.ts");
    return startOwnSandbox({ ...readSettings(toStartOptions(given)), ...RUN_SETTINGS, ...options }).catch(
      addPosition(given),
    );
  };
  const events = given.list("webhook-events");
  // A shared sandbox has its own default fixture, so only a typed --fixture is sent.
  const fixture = given.source("fixture") === "flag" ? given.text("fixture") : undefined;
  return { start, fixture, webhookUrl, webhookEvents: events.length > 0 ? events : undefined };
}

function createSharedServer(url: string, given: Given, terminal: Terminal): Server {
  const others = startOptions.filter(({ name }) => !EXCLUDED_OPTIONS.has(name) && !WORLD_OPTIONS.has(name));
  // Such an option would silently have no effect.
  const [wrong] = others.filter(({ name }) => given.source(name) === "flag");
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

/** Settings of every own sandbox. The log is large because the verdict is based on it. */
const RUN_SETTINGS = { port: 0, data: undefined, logBytes: 256 * 1024 * 1024 };

/** Returns the options for `start`, with defaults for the excluded ones. Each run replaces `{port}` with a port of its own. */
function toStartOptions(given: Given): Given {
  const defaults = new Map(startOptions.map((option) => [option.name, option.default]));
  return createGiven({
    value(name) {
      if (EXCLUDED_OPTIONS.has(name)) return defaults.get(name);
      const own = given.value(name);
      // Any port makes the URL valid for the check of the settings.
      return typeof own === "string" ? own.replaceAll("{port}", "3000") : own;
    },
    source: (name) => (EXCLUDED_OPTIONS.has(name) ? "default" : given.source(name)),
    label: (name) => (EXCLUDED_OPTIONS.has(name) ? `--${name}` : given.label(name)),
  });
}

/** Returns all checks, or those whose id is in `only` or begins with an entry of it, such as RETRY for RETRY-01. */
export function pickChecks(all: readonly Check[], only: readonly string[]): readonly Check[] {
  const wanted = only.map((name) => {
    const text = name.toUpperCase();
    const found = all.filter(({ id }) => id === text || id.startsWith(`${text}-`));
    if (found.length > 0) return found;
    const ids = all.map(({ id }) => id);
    throw rejectUnknown("There is no check", name, ids);
  });
  return only.length === 0 ? all : all.filter((check) => wanted.flat().includes(check));
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

/** Returns how to start the program, read its state, and repeat the check with the same options. */
export function describeProgram({ args, given, environment }: Call, options?: readonly Option[]) {
  return {
    command: args,
    given: listRepeatedOptions(given, options),
    seed: getText(given, "seed"),
    launch: createLauncher(args, environment),
    probe: createProbe(given.text("probe"), environment),
  };
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

// What the commands that run a program against sandboxes share: where the runs take place, how they are stopped, which checks, and how a
// program is asked for its own state.

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
import { EXCLUDED_OPTIONS, listRepeatedOptions, WORLD_OPTIONS } from "./check-options.ts";
import { readUrl, sendToSandbox } from "./client.ts";
import type { Call } from "./command.ts";
import { CONNECTION_LOST, Failure, Misuse, readInput, rejectUnknown, UNREACHABLE, Unjudged } from "./failure.ts";
import { createLauncher, stopAll } from "./launch.ts";
import { createGiven, type Given, getText, type Option } from "./options.ts";
import { nameByOptions, toFailure } from "./rejection.ts";
import { addPosition, readSettings, startOptions } from "./start-settings.ts";
import { waitForStopSignal } from "./stop-signal.ts";
import { environmentFor } from "./terminal/connection-info.ts";
import type { Terminal } from "./terminal/terminal.ts";

/**
 * What comes of it; or the signal. What was started and made for it has then gone, also where it fails. A second signal
 * ends the process at once, by stopSignal.
 */
export async function runStoppable<T>(work: Promise<T>): Promise<T | NodeJS.Signals> {
  const { removeWorlds } = await import("../verdict/index.ts");
  let [isDone, isStopping] = [false, false];
  const leave = async () => {
    stopAll();
    await removeWorlds();
  };
  // A signal after the end of the work has nothing left to end.
  const stopped = waitForStopSignal().then(async (signal) => {
    isStopping = !isDone;
    if (isStopping) await leave();
    return signal;
  });
  const done = work.finally(() => (isDone = true));
  return Promise.race([done, stopped]).catch(async (reason) => {
    // What fails because its world has gone counts for nothing.
    if (isStopping) return stopped;
    await leave();
    throw toUnjudged(reason);
  });
}

const LOST = new Set([UNREACHABLE, CONNECTION_LOST, "SERVICE_UNAVAILABLE"]);

/** What a run sends when it creates its worlds. */
const NAME_VALUE = nameByOptions({
  clock: "--clock",
  fixture: "--fixture",
  seed: "--seed",
  webhook_events: "--webhook-events",
  webhook_url: "--webhook-url",
});

/** In the words of commands. That the sandbox was lost says nothing about the program. */
export function toUnjudged(reason: unknown): unknown {
  const failure =
    reason instanceof SandboxError ? toFailure(reason, reason.status, "the sandbox", { value: NAME_VALUE }) : reason;
  return failure instanceof Failure && LOST.has(failure.code) ? new Unjudged(failure.message, failure.code) : failure;
}

/** Reads a file that should hold a verdict; undefined without a file. `option` names it. */
export function readVerdict<T>(given: Given, option: string, read: (text: string) => T): T | undefined {
  const file = given.text(option);
  if (file === undefined) return undefined;
  const advice = `Write it with \`sandbox check --report json=${file} -- <command>\`.`;
  return readInput(() => read(readBounded(file)), `--${option} ${file}`, advice);
}

/**
 * A running sandbox, or one of its own with the options of `start`. `start` makes a sandbox for one run; `server` is
 * there where runs share one.
 */
export function createTarget({ given, terminal }: Pick<Call, "given" | "terminal">) {
  const url = given.text("url");
  const server = url === undefined ? undefined : createSharedServer(readUrl(given.label("url"), url), given, terminal);
  return { server, ...createOwnTarget({ given }) };
}

/** One of its own with the options of `start`. */
function createOwnTarget({ given }: Pick<Call, "given">) {
  const webhookUrl = given.text("webhook-url");
  const start = async (options: { seed: string; webhookUrl?: string | undefined }) => {
    const { startOwnSandbox } = await import("./own-sandbox.ts");
    return startOwnSandbox({ ...readSettings(toStartOptions(given)), ...OWN, ...options }).catch(addPosition(given));
  };
  const events = given.list("webhook-events");
  // Only a fixture that was named is asked of a shared sandbox, which has a default of its own.
  const fixture = given.source("fixture") === "flag" ? given.text("fixture") : undefined;
  return { start, fixture, webhookUrl, webhookEvents: events.length > 0 ? events : undefined };
}

function createSharedServer(url: string, given: Given, terminal: Terminal): Server {
  const others = startOptions.filter(({ name }) => !EXCLUDED_OPTIONS.has(name) && !WORLD_OPTIONS.has(name));
  // Such an option would have no effect, and the person would not notice.
  const [wrong] = others.filter(({ name }) => given.source(name) === "flag");
  if (wrong)
    throw new Misuse(
      `${given.label(wrong.name)} is for a sandbox that this command starts; the one at ${url} runs as it was started. Leave out ${given.label(wrong.name)} or --url.`,
    );
  return { url, controlToken: given.text("control-token"), send: createRetryingSend(terminal) };
}

/** What a request means that is sent twice (RFC 9110 §9.2.2). */
const REPEATABLE = new Set(["GET", "PUT", "DELETE"]);
/** A node that stops is gone by then, and another one has its worlds. */
const LOST_MS = [100, 1000, 3000];

/**
 * A run of minutes outlasts a node that stops, or a connection that is lost, once the address has been right. A team that has used up its
 * requests has more of them in the next minute.
 */
function createRetryingSend(terminal: Terminal): (request: Request) => Promise<Response> {
  let hasAnswered = false;
  return (request) => send(request, LOST_MS);

  async function send(request: Request, [wait, ...later]: readonly number[]): Promise<Response> {
    const mayRepeat = hasAnswered && wait !== undefined && REPEATABLE.has(request.method);
    try {
      const answer = await sendToSandbox(request.clone());
      hasAnswered = true;
      if (answer.status === 429) return sendAfterQuota(request, answer);
      if (answer.status !== 503 || !mayRepeat) return answer;
    } catch (reason) {
      if (!mayRepeat) throw reason;
    }
    await pause(wait);
    return send(request, later);
  }

  async function sendAfterQuota(request: Request, answer: Response): Promise<Response> {
    const seconds = Number(answer.headers.get("retry-after"));
    if (!(seconds > 0)) return answer;
    const { message } = (await answer.json()) as { message?: string };
    terminal.say(`Waiting ${seconds} s: ${message ?? "the sandbox answers 429"}`);
    await pause(seconds * 1000);
    return send(request, LOST_MS);
  }
}

/** Over the options: a large log, since a run is judged by it. */
const OWN = { port: 0, data: undefined, logBytes: 256 * 1024 * 1024 };

/** The options of `start` that are here, and the defaults of the others. `{port}` stands for one of each run. */
function toStartOptions(given: Given): Given {
  const defaults = new Map(startOptions.map((option) => [option.name, option.default]));
  return createGiven({
    value(name) {
      if (EXCLUDED_OPTIONS.has(name)) return defaults.get(name);
      const own = given.value(name);
      // A port of any kind makes the URL valid; each run puts in its own.
      return typeof own === "string" ? own.replaceAll("{port}", "3000") : own;
    },
    source: (name) => (EXCLUDED_OPTIONS.has(name) ? "default" : given.source(name)),
    label: (name) => (EXCLUDED_OPTIONS.has(name) ? `--${name}` : given.label(name)),
  });
}

/** All, or those that are named whole or by how they begin. */
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

/** A probe that takes longer has failed. */
const MAX_PROBE_MS = 10_000;

/** Asks the program for its own state by a command, which must print JSON. It has the environment of the program. */
export function createProbe(command: string | undefined, environment: Call["environment"], limitMs = MAX_PROBE_MS) {
  if (command === undefined) return undefined;
  return async (connection: Connection, more: Readonly<Record<string, string>> = {}): Promise<unknown> => {
    const env = { ...environment, ...environmentFor(connection), ...more };
    // In a shell, since people write pipes.
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

/** How a command failed, with the last line that it wrote to stderr. */
function describeEnd({ code, signal, killed, stderr = "" }: ExecException, limitMs: number): string {
  const last = stderr.trim().split("\n").at(-1)?.slice(0, 200);
  const rest = last ? `: ${last}` : " and wrote nothing to stderr.";
  if (killed) return `took longer than its limit of ${limitMs / 1000} s${rest}`;
  return `failed with ${signal ? `signal ${signal}` : `exit code ${code}`}${rest}`;
}

/** How a check or a soak starts the program, reads its state, and is repeated with the same options. */
export function describeProgram({ args, given, environment }: Call, options?: readonly Option[]) {
  return {
    command: args,
    given: listRepeatedOptions(given, options),
    seed: getText(given, "seed"),
    launch: createLauncher(args, environment),
    probe: createProbe(given.text("probe"), environment),
  };
}

/** Each run has an empty folder for what the program keeps; all of them are gone afterwards. */
export async function withRunFolders<T>(work: (freshFolder: () => string) => Promise<T>): Promise<T> {
  const folders = mkdtempSync(join(tmpdir(), "sandbox-runs-"));
  try {
    return await work(() => mkdtempSync(join(folders, "run-")));
  } finally {
    // A program that was just stopped may still be writing.
    rmSync(folders, { recursive: true, force: true, maxRetries: 5 });
  }
}

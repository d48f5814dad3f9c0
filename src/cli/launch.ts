// Starts a program with the environment of a sandbox, keeps the end of its output, and stops it together with its child processes.
import type { ChildProcess, SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import type { Connection, ProgramEnd, Running } from "../verdict/index.ts";
import type { Call } from "./command.ts";
import { toMessage } from "./failure.ts";
import { toExitCode } from "./stop-signal.ts";
import { toEnvironment } from "./terminal/connection-info.ts";

const MAX_OUTPUT_CHARACTERS = 20_000;
/** The time between SIGTERM and SIGKILL. */
const KILL_DELAY_MS = 2000;

/** Functions that stop the running programs. A signal that stops this process stops them too. */
const running = new Set<() => void>();

/** Returns a function that starts the program for one run. */
export function createLauncher(command: readonly string[], environment: Call["environment"]) {
  return (connection: Connection, more: Readonly<Record<string, string>>): Running => {
    const env = { ...environment, ...toEnvironment(connection), ...more };
    let child: ChildProcess | undefined;
    const stop = () => endAll(child);
    // An ended program is removed, because its pid may be reused by another process.
    const ended = start(command, env, (started) => (child = started)).finally(() => running.delete(stop));
    running.add(stop);
    return { ended, stop };
  };
}

/** Stops every program that is still running. */
export function stopAll(): void {
  for (const stop of running) stop();
}

async function start(
  command: readonly string[],
  env: Call["environment"],
  onStart: (child: ChildProcess) => void,
): Promise<ProgramEnd> {
  // The program gets its own process group, so that the children of `npm test` are stopped with it.
  const { child, ended } = await spawnProgram(command, { env, stdio: ["ignore", "pipe", "pipe"], detached: isPosix });
  onStart(child);
  const retained = { output: "", errors: "" };
  const keep = (name: keyof typeof retained) => (piece: Buffer) => {
    retained[name] = (retained[name] + piece.toString("utf8")).slice(-MAX_OUTPUT_CHARACTERS);
  };
  child.stdout?.on("data", keep("output"));
  child.stderr?.on("data", keep("output")).on("data", keep("errors"));
  const closed = once(child, "close").catch(() => undefined);
  const { code, notStarted } = await ended;
  if (notStarted !== undefined) return { code, output: retained.output, notStarted };
  // A grandchild may keep the pipes open. Its later output is ignored.
  await Promise.race([closed, pause(100, undefined, { ref: false })]);
  return { code, ...retained };
}

/** The end of a program, with the exit code of a shell. `notStarted` explains why it could not be started. */
interface ExitResult {
  code: number;
  notStarted?: string;
}

/** Starts a program. cross-spawn also finds commands such as npm.cmd on Windows, and quotes their arguments. */
export async function spawnProgram(
  [program = "", ...args]: readonly string[],
  options: SpawnOptions,
): Promise<{ child: ChildProcess; ended: Promise<ExitResult> }> {
  const { default: spawn } = await import("cross-spawn");
  const child = spawn(program, args, options);
  const ended = new Promise<ExitResult>((resolve) => {
    // Node emits no "exit" event if the program could not be started.
    child.on("error", (error: NodeJS.ErrnoException) => {
      const code = { ENOENT: 127, EACCES: 126 }[error.code ?? ""] ?? 1;
      resolve({ code, notStarted: describeStartError(program, error) });
    });
    child.on("exit", (code, signal) => resolve({ code: signal ? toExitCode(signal) : (code ?? 1) }));
  });
  return { child, ended };
}

const isPosix = process.platform !== "win32";

function endAll(child: ChildProcess | undefined): void {
  signalProcess(child, "SIGTERM");
  const timer = setTimeout(() => signalProcess(child, "SIGKILL"), KILL_DELAY_MS);
  timer.unref();
  child?.once("exit", () => {
    // The pid may be reused by another process before the delay has elapsed.
    clearTimeout(timer);
    // Children of the program may ignore SIGTERM, so the group gets SIGKILL.
    signalProcess(child, "SIGKILL");
  });
}

function signalProcess(child: ChildProcess | undefined, signal: NodeJS.Signals): void {
  if (child?.pid === undefined) return;
  try {
    // A negative pid addresses the process group.
    if (isPosix) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // The group has ended already.
  }
}

/** Explains why a program could not be started, and what to do. */
function describeStartError(program: string, error: NodeJS.ErrnoException): string {
  if (error.code === "ENOENT") return `There is no command ${program}. Check its name, or that it is installed.`;
  return `${program} could not be run: ${toMessage(error)}`;
}

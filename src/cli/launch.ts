// Starts a program with the environment of a sandbox, keeps the end of its output, and stops it together with its child processes.
import type { ChildProcess } from "node:child_process";
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
export function createLauncher([program = "", ...args]: readonly string[], environment: Call["environment"]) {
  return (connection: Connection, more: Readonly<Record<string, string>>): Running => {
    const env = { ...environment, ...toEnvironment(connection), ...more };
    let child: ChildProcess | undefined;
    const stop = () => endAll(child);
    // An ended program is removed, because its pid may be reused by another process.
    const ended = start(program, args, env, (started) => (child = started)).finally(() => running.delete(stop));
    running.add(stop);
    return { ended, stop };
  };
}

/** Stops every program that is still running. */
export function stopAll(): void {
  for (const stop of running) stop();
}

async function start(
  program: string,
  args: readonly string[],
  env: Call["environment"],
  onStart: (child: ChildProcess) => void,
): Promise<ProgramEnd> {
  // cross-spawn finds and quotes files such as npm.cmd on Windows. Elsewhere it uses Node's own spawn.
  const { default: spawn } = await import("cross-spawn");
  return new Promise((resolve) => {
    let [output, errors] = ["", ""];
    // The program gets its own process group, so that the children of `npm test` are stopped with it.
    const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"], detached: isPosix });
    onStart(child);
    const keep = (piece: Buffer) => (output = (output + piece.toString("utf8")).slice(-MAX_OUTPUT_CHARACTERS));
    child.stdout?.on("data", keep);
    child.stderr?.on("data", (piece: Buffer) => {
      keep(piece);
      errors = (errors + piece.toString("utf8")).slice(-MAX_OUTPUT_CHARACTERS);
    });
    child.on("error", (error: NodeJS.ErrnoException) =>
      resolve({ code: 127, output, notStarted: describeStartError(program, error) }),
    );
    child.on("exit", (code, signal) => {
      // A grandchild may keep the pipes open. Its later output is ignored.
      const end = () => resolve({ code: signal ? toExitCode(signal) : (code ?? 1), output, errors });
      child.on("close", end);
      setTimeout(end, 100).unref();
    });
  });
}

const isPosix = process.platform !== "win32";

function endAll(child: ChildProcess | undefined): void {
  signalProcess(child, "SIGTERM");
  const timer = setTimeout(() => signalProcess(child, "SIGKILL"), KILL_DELAY_MS);
  timer.unref();
  // Children of the program may ignore SIGTERM, so the group gets SIGKILL.
  child?.once("exit", () => signalProcess(child, "SIGKILL"));
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
export function describeStartError(program: string, error: NodeJS.ErrnoException): string {
  if (error.code === "ENOENT") return `There is no command ${program}. Check its name, or that it is installed.`;
  return `${program} could not be run: ${toMessage(error)}`;
}

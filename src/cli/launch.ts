// Starts another program with the environment of a sandbox, keeps the end of what it prints, and ends it with all that it has started.
import type { ChildProcess } from "node:child_process";
import type { Connection, ProgramEnd, Running } from "../verdict/index.ts";
import type { Call } from "./command.ts";
import { toMessage } from "./failure.ts";
import { toExitCode } from "./stop-signal.ts";
import { environmentFor } from "./terminal/connection-info.ts";

/** So much of the output is kept. */
const MAX_OUTPUT_CHARACTERS = 20_000;
/** From a polite end to a certain one. */
const KILL_DELAY_MS = 2000;

/** Every program that runs; a signal for us is one for them. */
const running = new Set<() => void>();

/** Returns a function that starts the program once for each run. */
export function createLauncher([program = "", ...args]: readonly string[], environment: Call["environment"]) {
  return (connection: Connection, more: Readonly<Record<string, string>>): Running => {
    const env = { ...environment, ...environmentFor(connection), ...more };
    let child: ChildProcess | undefined;
    const stop = () => endAll(child);
    // Removed from the list when it has ended, so that a late signal finds no stranger with its pid.
    const ended = start(program, args, env, (started) => (child = started)).finally(() => running.delete(stop));
    running.add(stop);
    return { ended, stop };
  };
}

/** Ends every program that was started and still runs. */
export function stopAll(): void {
  for (const stop of running) stop();
}

async function start(
  program: string,
  args: readonly string[],
  env: Call["environment"],
  started: (child: ChildProcess) => void,
): Promise<ProgramEnd> {
  // On Windows it finds npm.cmd and its like, and quotes for them; elsewhere it is Node's own.
  const { default: spawn } = await import("cross-spawn");
  return new Promise((resolve) => {
    let [output, errors] = ["", ""];
    // In a group of its own, so that what `npm test` starts ends with it.
    const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"], detached: isPosix });
    started(child);
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
      // A grandchild may hold the pipes open; what it prints later is nobody's.
      const end = () => resolve({ code: signal ? toExitCode(signal) : (code ?? 1), output, errors });
      child.on("close", end);
      setTimeout(end, 100).unref();
    });
  });
}

const isPosix = process.platform !== "win32";

function endAll(child: ChildProcess | undefined): void {
  send(child, "SIGTERM");
  const later = setTimeout(() => send(child, "SIGKILL"), KILL_DELAY_MS);
  later.unref();
  // What the program has started may ignore the polite signal; the group is ended for certain.
  child?.once("exit", () => send(child, "SIGKILL"));
}

function send(child: ChildProcess | undefined, signal: NodeJS.Signals): void {
  if (child?.pid === undefined) return;
  try {
    // A negative pid is the group.
    if (isPosix) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // The group has ended.
  }
}

/** Why a program could not be started, and what to do. */
export function describeStartError(program: string, error: NodeJS.ErrnoException): string {
  if (error.code === "ENOENT") return `There is no command ${program}. Check its name, or that it is installed.`;
  return `${program} could not be run: ${toMessage(error)}`;
}

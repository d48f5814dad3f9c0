// sandbox exec: starts a sandbox, runs another program with its address in the environment, and exits with its code.
import type { Call, Command, Option } from "../command.ts";
import { describeStartError } from "../launch.ts";
import { addPosition, configurable, createOwnSandboxOptions, readSettings } from "../start-settings.ts";
import { toExitCode } from "../stop-signal.ts";
import { environmentFor } from "../terminal/connection-info.ts";

/**
 * Options of `start` with another default or meaning here: a sandbox for one run has a free port, a held clock and no
 * file.
 */
const OTHERWISE: Record<string, Partial<Option>> = {
  port: { default: 0 },
  clock: {
    default: "anchor",
    meaning: "Hold the clock at this instant; `anchor`: the fixture's own; `now`: let it run with real time.",
  },
  data: { default: undefined, meaning: "File of the state; without it the state is in memory." },
  json: {
    isTypedByName: false,
    meaning: "Print one line of JSON at the end; the command's own output goes to stderr.",
  },
};

/** What belongs to the sandbox that stays: beside it, one for a test has its own. */
const OF_ITS_OWN = ["port", "data", "memory", "fresh"];

export const exec: Command = {
  name: "exec",
  summary: "Start on a free port, run a command with its address, stop.",
  arguments: [["<command...>", "The command, best after --, with its own options."]],
  options: createOwnSandboxOptions(new Set(), OTHERWISE),
  configured: configurable.filter((name) => !OF_ITS_OWN.includes(name)),
  wraps: true,
  epilogue: [
    "The command finds the sandbox in SANDBOX_URL, SANDBOX_AUTH_URL,",
    "SANDBOX_TOKEN_URL, SANDBOX_CLIENT_ID, SANDBOX_CLIENT_SECRET,",
    "SANDBOX_CONTROL_URL, SANDBOX_CONTROL_TOKEN and SANDBOX_WEBHOOK_SECRET. Its exit",
    "code is returned; 128 and the number of the signal when it ended by one.",
    "",
    "  sandbox exec -- npm test",
  ].join("\n"),
  run: runInside,
};

async function runInside({ args, given, terminal, environment }: Call): Promise<number> {
  const settings = readSettings(given);
  // Only a file that was named is used: the default one belongs to the sandbox that stays.
  const memory = given.source("data") === "default" ? { data: undefined } : {};
  const { boot } = await import("../boot.ts");
  const warn = (sentence: string) => terminal.say(`Warning: ${sentence}`);
  // It listens before the command starts, so the command need not wait for it.
  const running = await boot({ ...settings, ...memory }, warn).catch(addPosition(given));
  const [json, quiet] = [given.flag("json"), given.flag("quiet")];
  if (!quiet) for (const warning of running.warnings) warn(warning);
  const { announcement } = running.introduction;
  const ended = await ranWith(args, { ...environment, ...environmentFor(announcement) }, json)
    // After the child, which may still call while it ends.
    .finally(() => running.close());
  if (ended.reason !== undefined) terminal.say(ended.reason);
  if (json) terminal.json({ command: args, exit_code: ended.code, ...announcement });
  return ended.code;
}

interface Ended {
  code: number;
  reason?: string;
}

async function ranWith(
  [program = "", ...args]: readonly string[],
  env: Call["environment"],
  json: boolean,
): Promise<Ended> {
  // On Windows it finds npm.cmd and its like, and quotes for them; elsewhere it is Node's own.
  const { default: spawn } = await import("cross-spawn");
  return new Promise((resolve) => {
    // Before there is a child: a signal may come as soon as it runs.
    const release = passSignals((signal) => child.kill(signal));
    // With --json the child's output goes to stderr, so stdout is one document.
    const child = spawn(program, args, { env, stdio: ["inherit", json ? 2 : "inherit", "inherit"] });
    // "exit" does not follow where the program could not be started.
    child.on("error", (error: NodeJS.ErrnoException) => {
      release();
      resolve(notStarted(program, error));
    });
    child.on("exit", (code, signal) => {
      release();
      resolve({ code: signal ? toExitCode(signal) : (code ?? 1) });
    });
  });
}

/** As a shell has it: 127 for what is not there, 126 for what can't be run. */
function notStarted(program: string, error: NodeJS.ErrnoException): Ended {
  const code = { ENOENT: 127, EACCES: 126 }[error.code ?? ""] ?? 1;
  return { code, reason: describeStartError(program, error) };
}

/** The child decides what a signal means. On a terminal Ctrl-C reaches it without us. */
function passSignals(on: (signal: NodeJS.Signals) => void): () => void {
  const pass = (signal: NodeJS.Signals) => {
    if (signal !== "SIGINT" || !process.stdin.isTTY) on(signal);
  };
  const signals: NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, pass);
  return () => {
    for (const signal of signals) process.off(signal, pass);
  };
}

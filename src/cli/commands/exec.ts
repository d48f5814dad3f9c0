// sandbox exec: starts a sandbox, runs a program with its address in the environment, and exits with the program's exit code.
import type { ChildProcess } from "node:child_process";
import type { Call, Command, Option } from "../command.ts";
import { spawnProgram } from "../launch.ts";
import { addPosition, configurable, createOwnSandboxOptions, readSettings } from "../start-settings.ts";
import { toExitCode } from "../stop-signal.ts";
import { toEnvironment } from "../terminal/connection-info.ts";

/** Options of `start` with another default: a sandbox for one run has a free port, a held clock and no data file. */
const OVERRIDDEN_OPTIONS: Record<string, Partial<Option>> = {
  port: { default: 0 },
  clock: {
    default: "anchor",
    meaning: "Hold the clock at this instant; `anchor`: the fixture's own instant; `now`: run with real time.",
  },
  data: { default: undefined, meaning: "Data file; default: the state is kept in memory." },
  json: {
    isTypedByName: false,
    meaning: "Print one line of JSON at the end; the command's own output goes to stderr.",
  },
};

/** Settings of a configuration file that are meant for `sandbox start`. */
const NOT_CONFIGURED = ["port", "data", "memory", "fresh"];

export const exec: Command = {
  name: "exec",
  summary: "Start on a free port, run a command with its address, stop.",
  arguments: [["<command...>", "The command with its own options, preferably after --."]],
  options: createOwnSandboxOptions(new Set(), OVERRIDDEN_OPTIONS),
  configured: configurable.filter((name) => !NOT_CONFIGURED.includes(name)),
  wraps: true,
  epilogue: [
    "The command finds the sandbox in SANDBOX_URL, SANDBOX_AUTH_URL,",
    "SANDBOX_TOKEN_URL, SANDBOX_CLIENT_ID, SANDBOX_CLIENT_SECRET,",
    "SANDBOX_CONTROL_URL, SANDBOX_CONTROL_TOKEN and SANDBOX_WEBHOOK_SECRET. The exit",
    "code is that of the command, or 128 plus the number of the signal that ended it.",
    "",
    "  sandbox exec -- npm test",
  ].join("\n"),
  run: runWithSandbox,
};

async function runWithSandbox({ args, given, terminal, environment }: Call): Promise<number> {
  const settings = readSettings(given);
  // The default data file belongs to `sandbox start`, so it is only used if it is named.
  const memory = given.source("data") === "default" ? { data: undefined } : {};
  const { boot } = await import("../boot.ts");
  const warn = (sentence: string) => terminal.say(`Warning: ${sentence}`);
  // The sandbox listens before the command starts, so the command need not wait.
  const running = await boot({ ...settings, ...memory }, warn).catch(addPosition(given));
  const [json, quiet] = [given.flag("json"), given.flag("quiet")];
  if (!quiet) for (const warning of running.warnings) warn(warning);
  const { announcement } = running.introduction;
  const ended = await runProgram(args, { ...environment, ...toEnvironment(announcement) }, json)
    // The sandbox is closed after the child has ended, because the child may send requests until then.
    .finally(() => running.close());
  if (ended.notStarted !== undefined) terminal.say(ended.notStarted);
  if (json) terminal.json({ command: args, exit_code: ended.code, ...announcement });
  return ended.code;
}

async function runProgram(command: readonly string[], env: Call["environment"], json: boolean) {
  let child: ChildProcess | undefined;
  // Signals are handled before the child starts, because one can arrive immediately afterwards. An earlier one ends this process.
  const release = passSignals((signal) => (child ? child.kill(signal) : process.exit(toExitCode(signal))));
  // The output of the child must not mix with the JSON on stdout.
  const started = await spawnProgram(command, { env, stdio: ["inherit", json ? 2 : "inherit", "inherit"] });
  child = started.child;
  return started.ended.finally(release);
}

/** Forwards signals to the child. On a terminal the child receives Ctrl-C by itself. Returns a function that stops forwarding. */
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

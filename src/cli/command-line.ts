// Runs a command line and returns its exit code. A new command needs a file and an entry in the table.
import type { Command, Group } from "./command.ts";
import { act } from "./commands/act.ts";
import { assume } from "./commands/assume.ts";
import { call } from "./commands/call.ts";
import { coverage } from "./commands/check-coverage.ts";
import { explain, sweep, verdict } from "./commands/check-run.ts";
import { soak } from "./commands/check-soak.ts";
import { checkTraffic } from "./commands/check-traffic.ts";
import { completion, printCandidates } from "./commands/completion.ts";
import { env } from "./commands/env.ts";
import { exec } from "./commands/exec.ts";
import { init } from "./commands/init.ts";
import { listen } from "./commands/listen.ts";
import { login, logout } from "./commands/login.ts";
import { logs } from "./commands/logs.ts";
import { mcp } from "./commands/mcp.ts";
import { play } from "./commands/play.ts";
import { populate } from "./commands/populate.ts";
import { record } from "./commands/record.ts";
import { show } from "./commands/show.ts";
import { start } from "./commands/start.ts";
import { validate } from "./commands/validate.ts";
import { wait } from "./commands/wait.ts";
import { addMembers, createEntry, createRemainingEntries } from "./control-command.ts";
import { Failure, formatFailure, Misuse, Unjudged } from "./failure.ts";
import { warnOfVariables } from "./removed-names.ts";
import { createProgram, isHelpPrinted, type ProgramContext, type Table } from "./wire.ts";

const check = addMembers("check", [verdict, explain, soak, sweep, coverage, checkTraffic]);

const worlds = addMembers("world", [populate]);

/** The commands in the order of the help. A string names a command or a group of the generated table. */
const HELP_ORDER: Readonly<Record<string, readonly (Command | Group | string)[]>> = {
  "Run:": [start, exec, wait, env, init],
  "Drive:": [act, "trigger", "clock", "fault", assume, call, "resend"],
  "Observe:": [logs, show, "why", listen, "diff", "books"],
  "State:": [worlds, "snapshot", "rewind"],
  "Test and check:": [play, record, validate, check],
  "Share:": [login, logout, "team", "token", "audit"],
  "Other:": [mcp, completion],
};

const placed = Object.fromEntries(
  Object.entries(HELP_ORDER).map(([heading, entries]) => [
    heading,
    entries.map((entry) => (typeof entry === "string" ? createEntry(entry) : entry)),
  ]),
);
// A new command of the specification is available immediately, even if it has no place in the help yet.
const others = createRemainingEntries(Object.values(placed).flat());

export const commandTable: Table = others.length > 0 ? { ...placed, "More:": others } : placed;

/** Runs the arguments (without the program name) and returns the exit code: 0, 1, 2, 3, or that of the executed program. Never throws. */
export async function runCommandLine(words: readonly string[], surroundings: ProgramContext): Promise<number> {
  const { terminal, environment } = surroundings;
  // The scripts of `sandbox completion` call this. It comes first, because a shell waits for it and stderr must stay empty.
  if (words[0] === "complete") {
    printCandidates(Object.values(commandTable).flat(), words.slice(words[1] === "--" ? 2 : 1));
    return 0;
  }
  let code = 0;
  for (const sentence of warnOfVariables(environment)) terminal.say(sentence);
  try {
    const program = createProgram(commandTable, surroundings, (ended) => (code = ended));
    await program.parseAsync(words, { from: "user" });
    return code;
  } catch (error) {
    // The help was printed, or a signal stopped the command before it began.
    if (isHelpPrinted(error) || (error as Error).name === "AbortError") return 0;
    const failure = error instanceof Misuse || error instanceof Failure ? error : createInternalError(error);
    const { code, message } = failure;
    // Commander has printed an error without a message already.
    if (message !== "") terminal.say(formatFailure(failure));
    if (message !== "" && isJsonRequested(words, environment)) terminal.json({ error: { code, message } });
    // The sandbox checks most values of options.
    if (error instanceof Misuse || code === "BAD_REQUEST") return 2;
    return error instanceof Unjudged ? 3 : 1;
  }
}

/** Reads --json from the raw arguments, because commander may have failed to parse them. Arguments after `--` belong to another program. */
function isJsonRequested(words: readonly string[], environment: ProgramContext["environment"]): boolean {
  const end = words.indexOf("--");
  if ((end < 0 ? words : words.slice(0, end)).includes("--json")) return true;
  // Commands that start a sandbox also have an environment variable for --json.
  return ["start", "exec"].includes(words[0] ?? "") && /^(1|true|yes|on)$/i.test(environment.SANDBOX_JSON ?? "");
}

// The message has the stack, because an internal error is a bug and the report needs it.
const createInternalError = (error: unknown): Failure =>
  new Failure(`Internal error, please report it: ${error instanceof Error ? error.stack : String(error)}`);

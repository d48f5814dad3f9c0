// Runs a command line, from its words to its exit code. A new command is a file and a line in the table.
import { act } from "./commands/act.ts";
import { clock } from "./commands/clock.ts";
import { env } from "./commands/env.ts";
import { exec } from "./commands/exec.ts";
import { exportCommand } from "./commands/export.ts";
import { fault } from "./commands/fault.ts";
import { listen } from "./commands/listen.ts";
import { logs } from "./commands/logs.ts";
import { mcp } from "./commands/mcp.ts";
import { play } from "./commands/play.ts";
import { populate } from "./commands/populate.ts";
import { snapshot } from "./commands/snapshot.ts";
import { start } from "./commands/start.ts";
import { state } from "./commands/state.ts";
import { trigger } from "./commands/trigger.ts";
import { validate } from "./commands/validate.ts";
import { wait } from "./commands/wait.ts";
import { world } from "./commands/world.ts";
import { Failure, Misuse, messageOf } from "./fault.ts";
import { isAnswered, type Surroundings, type Table, wireAll } from "./wire.ts";

export const commandTable: Table = {
  "Serve:": [start, exec, wait, env, mcp],
  "Simulate host, time and failures:": [act, trigger, clock, fault],
  "Watch:": [listen, logs],
  "State and snapshots:": [state, snapshot, world, populate],
  "Play and check:": [play, validate],
  "Use with other programs:": [exportCommand],
};

export async function runCommandLine(words: readonly string[], surroundings: Surroundings): Promise<number> {
  let code = 0;
  try {
    const program = wireAll(commandTable, surroundings, (ended) => (code = ended));
    await program.parseAsync(words, { from: "user" });
    return code;
  } catch (error) {
    // Help was printed, or the command was stopped before it began.
    if (isAnswered(error) || (error as Error).name === "AbortError") return 0;
    const reason = error instanceof Misuse || error instanceof Failure ? messageOf(error) : surprise(error);
    if (reason !== "") surroundings.terminal.say(reason);
    return error instanceof Misuse ? 2 : 1;
  }
}

function surprise(error: unknown): string {
  return `Internal error, please report it: ${error instanceof Error ? error.stack : String(error)}`;
}

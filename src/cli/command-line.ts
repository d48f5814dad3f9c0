// A command line, run from its words to its exit code. A new command is a file and a line in the table.
import { act } from "./act.ts";
import { clock } from "./clock.ts";
import { env } from "./env.ts";
import { exec } from "./exec.ts";
import { Failure, Misuse, messageOf } from "./fault.ts";
import { fault } from "./faults.ts";
import { listen } from "./listen.ts";
import { logs } from "./logs.ts";
import { play } from "./play.ts";
import { populate } from "./populate.ts";
import { snapshot } from "./snapshot.ts";
import { start } from "./start.ts";
import { state } from "./state.ts";
import { trigger } from "./trigger.ts";
import { validate } from "./validate.ts";
import { wait } from "./wait.ts";
import { isAnswered, type Surroundings, type Table, wireAll } from "./wire.ts";
import { world } from "./world.ts";

export const commandTable: Table = {
  "Serve:": [start, exec, wait, env],
  "Be the host, move the time, misbehave:": [act, trigger, clock, fault],
  "Watch:": [listen, logs],
  "Keep, copy, go back:": [state, snapshot, world, populate],
  "Play and check:": [play, validate],
};

export async function runCommandLine(words: readonly string[], surroundings: Surroundings): Promise<number> {
  let code = 0;
  try {
    const program = wireAll(commandTable, surroundings, (ended) => (code = ended));
    await program.parseAsync(words, { from: "user" });
    return code;
  } catch (error) {
    // Help was asked for, or the command was stopped before it had begun.
    if (isAnswered(error) || (error as Error).name === "AbortError") return 0;
    const reason = error instanceof Misuse || error instanceof Failure ? messageOf(error) : surprise(error);
    if (reason !== "") surroundings.terminal.say(reason);
    return error instanceof Misuse ? 2 : 1;
  }
}

function surprise(error: unknown): string {
  return `This should not have happened: ${error instanceof Error ? error.stack : String(error)}`;
}

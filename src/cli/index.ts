// The door for terminals: hands every command to commander, and turns whatever a command ends with into an exit code. A new command is
// a file and a line in the table.
import { Argument, CommanderError, Command as Wired, Option as WiredOption } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { act } from "./act.ts";
import { clock } from "./clock.ts";
import type { Command, Group, Option } from "./command.ts";
import { env } from "./env.ts";
import { exec } from "./exec.ts";
import { Failure, Misuse, messageOf } from "./fault.ts";
import { listen } from "./listen.ts";
import { logs } from "./logs.ts";
import { readOptions, type Typed } from "./options.ts";
import { play } from "./play.ts";
import { snapshot } from "./snapshot.ts";
import { start } from "./start.ts";
import { state } from "./state.ts";
import { endQuietlyOnBrokenPipe, makeTerminal } from "./terminal.ts";
import { trigger } from "./trigger.ts";
import { validate } from "./validate.ts";
import { wait } from "./wait.ts";
import { wordingOf } from "./wording.ts";
import { world } from "./world.ts";

const TABLE: Record<string, readonly (Command | Group)[]> = {
  "Serve:": [start, exec, wait, env],
  "Be the host, move the time:": [act, trigger, clock],
  "Watch:": [listen, logs],
  "Keep, copy, go back:": [state, snapshot, world],
  "Play and check:": [play, validate],
};

const terminal = makeTerminal(process.stdout, process.stderr, process.env);

function wire(parent: Wired, entry: Command | Group, isUsual = false): Wired {
  const wired = parent.command(entry.name, { isDefault: isUsual }).summary(entry.summary).description(entry.summary);
  wired.exitOverride((error) => {
    throw error.exitCode === 0 ? error : new Misuse(wordingOf(error, wired) ?? "");
  });
  if ("members" in entry) for (const member of entry.members) wire(wired, member, member.name === entry.usual);
  else wireOne(wired, entry);
  return isUsual ? Object.assign(wired, { usual: true }) : wired;
}

function wireOne(wired: Wired, command: Command): void {
  for (const [form, meaning] of command.arguments ?? []) wired.addArgument(new Argument(form, meaning));
  for (const option of command.options) wired.addOption(wiredOption(option));
  if (command.wraps) wired.passThroughOptions();
  if (command.epilogue) wired.addHelpText("after", `\n${command.epilogue}`);
  wired.action(async () => {
    const given = readOptions(command.options, typedIn(wired, command.options), process.env);
    process.exitCode = (await command.run({ args: wired.args, given, terminal, environment: process.env })) ?? 0;
  });
}

/** Every occurrence is kept, so that those which disagree can be refused. */
function wiredOption({ name, kind, placeholder, default: usual, meaning }: Option): WiredOption {
  const known =
    usual === undefined || kind === "flag" || kind === "list"
      ? meaning
      : `${meaning.replace(/\.$/, "")} (default: ${usual}).`;
  if (kind === "flag") return new WiredOption(`--${name}`, known);
  return new WiredOption(`--${name} <${placeholder}>`, known).argParser((text: string, before: string[] = []) => [
    ...before,
    text,
  ]);
}

function typedIn(wired: Wired, options: readonly Option[]): Typed {
  const values = wired.opts<Record<string, readonly string[] | true>>();
  return Object.fromEntries(options.map((option) => [option.name, values[wiredOption(option).attributeName()]]));
}

async function main(): Promise<void> {
  const program = new Wired("sandbox")
    .version(manifest.version, "-V, --version", "Print the version.")
    .description(manifest.description);
  program.enablePositionalOptions().configureOutput({ outputError: () => undefined });
  program.helpOption("-h, --help", "Print this.").helpCommand("help [command]", "Print the help of a command.");
  program.addHelpText(
    "after",
    "\nEvery option has an environment name: --rate-limit is SANDBOX_RATE_LIMIT. The option\nwins. Exit codes: 0 done, 1 what was asked for failed, 2 wrong usage.",
  );
  program.exitOverride((error) => {
    throw error.exitCode === 0 ? error : new Misuse(wordingOf(error, program) ?? "");
  });
  for (const [heading, entries] of Object.entries(TABLE))
    for (const entry of entries) wire(program, entry).helpGroup(heading);
  await program.parseAsync();
}

endQuietlyOnBrokenPipe([process.stdout, process.stderr]);
main().catch((error: unknown) => {
  if (error instanceof CommanderError) return;
  process.exitCode = error instanceof Misuse ? 2 : 1;
  const isOurs = error instanceof Misuse || error instanceof Failure;
  const words = isOurs
    ? messageOf(error)
    : `This should not have happened: ${error instanceof Error ? error.stack : String(error)}`;
  if (words !== "") terminal.say(words);
});

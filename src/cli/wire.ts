// Defines the commands in commander. wording.ts replaces its messages, and options.ts reads the values.
import { Argument, CommanderError, Command as Wired, Option as WiredOption } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { type Call, type Command, clientOptions, type Group, type Option } from "./command.ts";
import { Misuse } from "./failure.ts";
import { reportTarget, withSandbox } from "./find-sandbox.ts";
import { type Configured, describeOption, readOptions, type Typed } from "./options.ts";
import { readNamedOptions, settingsOptions } from "./start-settings.ts";
import { fitText, wrap } from "./terminal/terminal.ts";
import { describeUnknownCommand, explainUsageError } from "./terminal/wording.ts";

export type ProgramContext = Pick<Call, "terminal" | "environment">;
export type Table = Readonly<Record<string, readonly (Command | Group)[]>>;

const EPILOGUE = [
  "",
  "`sandbox help start` shows the options of start, `sandbox help connection` and `sandbox",
  "help settings` those of several commands. Options of start have variables, too.",
  "Exit codes: 0 success, 1 failure, 2 wrong usage, 3 no verdict.",
].join("\n");

/** The help shows options of many commands once, under a topic. */
const TOPICS = {
  connection: {
    summary: "Choose the sandbox and the world that a command talks to.",
    options: clientOptions,
    epilogue: [
      "Every command that talks to a sandbox takes these options. Without --url it takes the first of:",
      "SANDBOX_URL, SANDBOX_PORT on this machine, the nearest .sandbox/server.json, and",
      "the sandbox of `sandbox login`. --world is SANDBOX_WORLD, and --control-token is",
      "SANDBOX_CONTROL_TOKEN. The option wins. `play` and `check` start a sandbox of their own",
      "unless --url or SANDBOX_URL names a running one.",
    ],
  },
  settings: {
    summary: "Set up the sandbox that a command starts for itself.",
    options: settingsOptions,
    epilogue: [
      "`exec`, `check`, `check soak` and `check assumptions` take these options. Every other option",
      "of `sandbox start` comes from the configuration file, a variable or --option. Only `exec`",
      "takes `--clock now`, which lets the clock run with real time.",
    ],
  },
} as const;

/** The order is that of the help of a command. */
const NAMED_TOPICS = [
  ["settings", "See `sandbox help settings` for"],
  ["connection", "See `sandbox help connection` for"],
] as const;

interface CommandContext {
  surroundings: ProgramContext;
  /** Receives the exit code of the command. */
  ended(code: number): void;
}

/** Returns the program, without running it. `ended` receives the exit code, because actions of commander return nothing. */
export function createProgram(table: Table, surroundings: ProgramContext, ended: CommandContext["ended"]): Wired {
  const { terminal } = surroundings;
  const program = new Wired("sandbox")
    .description("A sandbox of the Experience Booking and Commerce API.")
    .usage("[command] [options]")
    .version(manifest.version, "-V, --version");
  for (const option of program.options) option.hideHelp();
  // Options after a command belong to the command, which `wraps` needs.
  program.enablePositionalOptions().configureHelp({ subcommandTerm: formatCommandTerm });
  const width = getHelpWidth(terminal);
  program.configureOutput({
    // The caller prints errors.
    outputError: () => undefined,
    writeOut: (text) => terminal.write(fitHelp(text, width)),
    writeErr: (text) => terminal.writeStderr(fitHelp(text, width)),
    getOutHelpWidth: () => width,
    getErrHelpWidth: () => width,
  });
  program.addHelpOption(new WiredOption("-h, --help").hideHelp()).helpCommand(false).addHelpText("after", EPILOGUE);
  replaceErrorMessages(program);
  addHelpCommand(program);
  for (const [heading, entries] of Object.entries(table)) {
    for (const entry of entries) addEntry(program, entry, { surroundings, ended }).helpGroup(heading);
  }
  return program;
}

/** Fills the lines of paragraphs, which begin without spaces, and wraps all other lines. */
function fitHelp(text: string, width: number): string {
  const lines = text.replaceAll(/^(\S.*)\n(?=\S)/gm, "$1 ").split("\n");
  return lines.map((line) => (line.startsWith(" ") ? fitText(line, width) : wrap(line, width).join("\n"))).join("\n");
}

/** Adds `sandbox help`, which prints the help of a command or of a topic. Topics are commands that no list shows. */
function addHelpCommand(program: Wired): void {
  for (const [name, { summary, options, epilogue }] of Object.entries(TOPICS)) {
    const topic = program.command(name, { hidden: true }).description(summary).usage("").helpOption(false);
    for (const option of options) topic.addOption(toCommanderOption(option).hideHelp(false));
    topic.addHelpText("after", `\n${epilogue.join("\n")}`).action(() => topic.outputHelp());
  }
  const help = program.command("help", { hidden: true }).argument("[command...]", "A command, or a topic.");
  replaceErrorMessages(help.description("Print the help of a command or of a topic: connection, settings."));
  help.action(() => {
    let found = program;
    for (const name of help.args) {
      const next = found.commands.find((each) => each.name() === name);
      if (!next) throw new Misuse(describeUnknownCommand(name, found));
      found = next;
    }
    found.outputHelp();
  });
}

const getHelpWidth = ({ width }: ProgramContext["terminal"]): number =>
  Number.isFinite(width) ? Math.min(width, 120) : 80;

/** Returns true if commander ended after printing the help or the version. */
export function isHelpPrinted(error: unknown): boolean {
  return error instanceof CommanderError && error.exitCode === 0;
}

function replaceErrorMessages(wired: Wired): void {
  wired.exitOverride((error) => {
    throw error.exitCode === 0 ? error : new Misuse(explainUsageError(error, wired) ?? "");
  });
}

function addEntry(parent: Wired, entry: Command | Group, run: CommandContext, isDefault = false): Wired {
  const wired = parent
    .command(entry.name, { isDefault })
    .summary(entry.summary)
    .description(entry.summary)
    .helpCommand(false);
  replaceErrorMessages(wired);
  if ("members" in entry) {
    for (const member of entry.members) addEntry(wired, member, run, member.name === entry.default);
  } else defineCommand(wired, entry, run);
  return isDefault ? Object.assign(wired, { usual: true }) : wired;
}

function defineCommand(wired: Wired, command: Command, { surroundings, ended }: CommandContext): void {
  for (const [form, meaning] of command.arguments ?? []) wired.addArgument(new Argument(form, meaning));
  for (const option of command.options) if (!option.isTypedByName) wired.addOption(toCommanderOption(option));
  if (command.wraps) wired.passThroughOptions();
  for (const [topic, sentence] of NAMED_TOPICS) {
    const names = command.options.filter((each) => each.topic === topic).map(({ name }) => `--${name}`);
    if (names.length > 0) wired.addHelpText("after", `\n${sentence} ${names.join(", ")}.`);
  }
  if (command.epilogue) wired.addHelpText("after", `\n${command.epilogue}`);
  wired.action(async () => {
    assertNoEmptyArgument(wired, command);
    const typed = collectTypedOptions(wired, command.options);
    const configured = command.configured && (await loadConfig(command.configured, typed.config));
    const read = readOptions(command.options, typed, surroundings.environment, configured);
    const call = await withSandbox(command, { ...surroundings, args: wired.args, given: read });
    ended((await command.run(call)) ?? 0);
    reportTarget(command, call);
  });
}

/** Rejects empty arguments, which an unset shell variable causes. Arguments of a wrapped program may be empty. */
function assertNoEmptyArgument({ args, registeredArguments: known }: Wired, { wraps }: Command): void {
  // Commander keeps a `--` after the first argument in the list.
  const words = wraps ? args.filter((text) => text !== "--").slice(0, known.length) : args;
  const at = words.findIndex((text) => text.trim() === "");
  const name = known[Math.min(at, known.length - 1)]?.name();
  if (at >= 0) throw new Misuse(`The argument <${name}> is empty. Give it a value, or leave it out.`);
}

/** Loads the module only if needed, because it includes a YAML parser. */
async function loadConfig(wanted: readonly string[], named: Typed[string]): Promise<Configured | undefined> {
  const file = Array.isArray(named) ? named[0] : undefined;
  return (await import("./config-file.ts")).readConfig(process.cwd(), wanted, file);
}

function toCommanderOption(option: Option): WiredOption {
  const { name, kind, placeholder, topic } = option;
  const form = kind === "flag" ? `--${name}` : `--${name} <${placeholder}>`;
  const wired = new WiredOption(form, describeOption(option)).hideHelp(topic !== undefined);
  // Every occurrence of an option is collected, because some options are lists.
  return kind === "flag" ? wired : wired.argParser((text: string, before: string[] = []) => [...before, text]);
}

function collectTypedOptions(wired: Wired, options: readonly Option[]): Typed {
  const values = wired.opts<Record<string, readonly string[] | boolean>>();
  const readTyped = (option: Option) => {
    const known = toCommanderOption(option);
    const value = values[known.attributeName()];
    if (typeof value !== "boolean") return value;
    // Commander treats --no-x as the opposite of an option x, whose value is then true by default.
    return value !== known.negate || undefined;
  };
  const byName = readNamedOptions((values.option as readonly string[] | undefined) ?? [], options);
  return {
    ...Object.fromEntries(options.filter((each) => !each.isTypedByName).map((each) => [each.name, readTyped(each)])),
    ...byName,
  };
}

/** Formats a command for a list: its name, and in the list of a group also its arguments. */
function formatCommandTerm(command: Wired): string {
  if (command.parent?.parent == null) return command.name();
  const words = command.usage().split(" ");
  return [command.name(), ...words.filter((word) => word !== "[options]" && word !== "[command]")].join(" ");
}

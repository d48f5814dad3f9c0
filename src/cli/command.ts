// The shape of a command: data that wire.ts passes to commander, and a function that runs it. Commands do not depend on commander.
import { type Given, type Option, option } from "./options.ts";
import type { Terminal } from "./terminal/terminal.ts";

export { type Option, option } from "./options.ts";

/** The input of a command. A command does not read `process` itself, so that tests can pass everything. */
export interface Call {
  args: readonly string[];
  given: Given;
  terminal: Terminal;
  environment: Readonly<Record<string, string | undefined>>;
}

export interface Command {
  name: string;
  summary: string;
  /** The syntax is that of commander: `<name>` is required, `[name]` is optional, and `<name...>` takes all remaining arguments. */
  arguments?: readonly (readonly [form: string, meaning: string])[];
  options: readonly Option[];
  /** The text below the options in the help. */
  epilogue?: string;
  /** The options that a configuration file may set. */
  configured?: readonly string[];
  /** Set if the last argument is the command line of another program. */
  wraps?: boolean;
  /** Names the resource that the command changes, such as `world default`; undefined if it only reads. Printed after the run. */
  changes?(call: Call): string | undefined;
  /** Returns the exit code. Undefined means 0. */
  run(call: Call): Promise<number | undefined>;
}

/** Commands with the same first word. */
export interface Group {
  name: string;
  summary: string;
  members: readonly Command[];
  /** The command that runs if the second word is missing. */
  default?: string;
}

export const jsonOption = option.flag("json", "Print JSON, and nothing else, on stdout.", { topic: "connection" });

/** Names the world of a call for `changes`. */
export const nameWorld = ({ given }: Pick<Call, "given">): string => `world ${given.text("world")}`;

/** `finds`: without --url, the command looks for a running sandbox. */
export const urlOption = option.text(
  "url",
  "URL",
  "Address of the running sandbox. SANDBOX_PORT, .sandbox/server.json and `sandbox login` come before the default.",
  { default: "http://127.0.0.1:4010", finds: true, topic: "connection", environment: "SANDBOX_URL" },
);

const controlTokenOption = option.text(
  "control-token",
  "T",
  "Control token; default: that of `sandbox login` for the address.",
  { topic: "connection", environment: "SANDBOX_CONTROL_TOKEN" },
);

/** The options of every command that uses a running sandbox. */
export const clientOptions: readonly Option[] = [
  urlOption,
  option.text("world", "id", "World to use.", {
    default: "default",
    topic: "connection",
    environment: "SANDBOX_WORLD",
  }),
  controlTokenOption,
  jsonOption,
];

/** The options of commands that play scenarios. They have no default: without --url, the command starts a sandbox in memory. */
export const playerOptions: readonly Option[] = [
  { ...urlOption, default: undefined, finds: false, meaning: "Use this running sandbox; default: start one." },
  { ...controlTokenOption, meaning: "Control token of that sandbox." },
];

export const setOption = option.list(
  "set",
  "path=value",
  "Set one input field, such as customer.name=Anna. Valid JSON is sent as JSON, any other value as a string. Repeatable.",
);

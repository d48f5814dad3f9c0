// A command is data that wire.ts hands to commander, and a function that runs it. No command knows commander.
import { type Given, type Option, option } from "./options.ts";
import type { Terminal } from "./terminal/terminal.ts";

export { type Option, option } from "./options.ts";

/** All that a command gets. It reads neither process nor environment by itself, so tests hand it everything. */
export interface Call {
  args: readonly string[];
  given: Given;
  terminal: Terminal;
  environment: Readonly<Record<string, string | undefined>>;
}

export interface Command {
  name: string;
  summary: string;
  /** As commander writes them: `<name>` must be, `[name]` may be, `<name...>` takes the rest. */
  arguments?: readonly (readonly [form: string, meaning: string])[];
  options: readonly Option[];
  /** Text under the options in the help. */
  epilogue?: string;
  /** The options that a configuration file may give. */
  configured?: readonly string[];
  /** The command's last argument is another program's command line, with options of its own. */
  wraps?: boolean;
  /** What the call changes or deletes, such as `world default`; undefined where it only reads. Printed when it has run. */
  changes?(call: Call): string | undefined;
  /** Returns the exit code; undefined means 0. */
  run(call: Call): Promise<number | undefined>;
}

/** Commands that share their first word. */
export interface Group {
  name: string;
  summary: string;
  members: readonly Command[];
  /** The member that runs when none is named. */
  default?: string;
}

export const jsonOption = option.flag("json", "Print JSON, and nothing else, on stdout.", { topic: "connection" });

/** The world that a call is about, as `changes` names it. */
export const nameWorld = ({ given }: Pick<Call, "given">): string => `world ${given.text("world")}`;

/** For commands whose result is a report. */
export const outputOption = option.text("output", "FILE", "Where to write the report; default: stdout.");

/** `finds`: without it a running sandbox is looked for. */
export const urlOption = option.text(
  "url",
  "URL",
  "Address of the running sandbox; looked for in SANDBOX_PORT, .sandbox/server.json and `sandbox login` first.",
  { default: "http://127.0.0.1:4010", finds: true, topic: "connection", environment: "SANDBOX_URL" },
);

/** What every client of a running sandbox takes. */
export const clientOptions: readonly Option[] = [
  urlOption,
  option.text("world", "id", "World to use.", {
    default: "default",
    topic: "connection",
    environment: "SANDBOX_WORLD",
  }),
  option.text(
    "control-token",
    "T",
    "The token of the control surface; default: the one of `sandbox login` for the address.",
    { topic: "connection", environment: "SANDBOX_CONTROL_TOKEN" },
  ),
  jsonOption,
];

/** Where scenarios are played. Without an address each starts one in memory, so the two options have no default. */
export const playerOptions: readonly Option[] = [
  option.text("url", "URL", "Use this running sandbox; default: one of its own.", {
    topic: "connection",
    environment: "SANDBOX_URL",
  }),
  option.text("control-token", "T", "The token of its control surface.", {
    topic: "connection",
    environment: "SANDBOX_CONTROL_TOKEN",
  }),
];

export const envOption = option.list(
  "env",
  "NAME",
  "Let the scenario read this variable of the environment. Repeatable.",
);

export const setOption = option.list(
  "set",
  "path=value",
  "Set one input field, such as customer.name=Anna. A value that parses as JSON is sent as JSON, any other as a string. Repeatable.",
);

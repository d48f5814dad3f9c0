// What the commands that run a program against sandboxes of their own share: their options, where the runs take place, which checks, and
// how a program is asked for its own state.
import { exec } from "node:child_process";
import { promisify } from "node:util";
import { didYouMean } from "../domain/kernel/nearest.ts";
import { shown } from "../setting-values.ts";
import type { Check, Connection } from "../verdict/index.ts";
import { readUrl } from "./client.ts";
import { type Call, jsonOption, type Option, outputOption, playerOptions } from "./command.ts";
import { Failure, Misuse, messageOf } from "./fault.ts";
import type { Given } from "./options.ts";
import { readSettings, startOptions } from "./start-settings.ts";
import { environmentFor } from "./terminal/connection-info.ts";

/** What belongs to a sandbox that stays, or that a verdict sets itself. */
export const NOT_HERE = new Set([
  ...["port", "host", "data", "memory", "database", "wait-for", "fresh", "durability", "clock", "seed"],
  ...["json", "quiet", "log-entries", "log-bytes", "control-token", "history-commits", "history-bytes", "cors"],
]);
const REPORTERS = ["spec", "json", "junit", "html", "badge"];

export const verdictOptions: readonly Option[] = [
  {
    name: "only",
    kind: "list",
    placeholder: "a,b",
    default: [],
    meaning: "Only these checks, such as RETRY-01, or all that begin so, such as RETRY.",
  },
  {
    name: "probe",
    kind: "text",
    placeholder: "CMD",
    default: undefined,
    meaning: "A shell command that prints the program's own state as JSON, such as the bookings that it knows.",
  },
  {
    name: "strict",
    kind: "flag",
    default: false,
    meaning: "A warning, or a required check that was not exercised, fails too.",
  },
  {
    name: "reporter",
    kind: "text",
    placeholder: REPORTERS.join(", ").replace(/, (\w+)$/, " or $1"),
    default: "spec",
    choices: REPORTERS,
    meaning: "How to report.",
  },
  outputOption,
  { name: "seed", kind: "text", placeholder: "N", default: "7", meaning: "Seed of everything random." },
  {
    name: "jobs",
    kind: "number",
    placeholder: "N",
    default: undefined,
    meaning: "Runs side by side; default: as many as there are cores.",
  },
  {
    name: "timeout",
    kind: "number",
    placeholder: "S",
    default: 120,
    meaning: "Seconds that one run of the command may take.",
  },
  ...playerOptions,
  ...startOptions.filter(({ name }) => !NOT_HERE.has(name)),
  jsonOption,
];

/** A running sandbox, or one of its own with the options of `start`. */
export function placeOf({ given }: Pick<Call, "given">) {
  const [url, controlToken] = [given.text("url"), given.text("control-token")];
  const webhookUrl = given.text("webhook-url");
  const server = url === undefined ? undefined : { url: readUrl("--url", url), controlToken };
  const start = async (options: { seed: string; webhookUrl?: string | undefined }) => {
    const { ownSandbox } = await import("./own-sandbox.ts");
    return ownSandbox({ ...readSettings(asOfStart(given)), ...OWN, ...options });
  };
  return { server, start, webhookUrl };
}

const OWN = { port: 0, clock: "anchor", data: undefined, logEntries: 50_000, logBytes: 64 * 1024 * 1024 };

/** The options of `start` that are here, and the defaults of the others. `{port}` stands for one of each run. */
function asOfStart(given: Given): Given {
  const usual = new Map(startOptions.map((option) => [option.name, option.default]));
  const value = (name: string) => {
    if (NOT_HERE.has(name)) return usual.get(name);
    const own = given.value(name);
    return typeof own === "string" ? own.replaceAll("{port}", "3000") : own;
  };
  return {
    value,
    text: (name) => value(name) as string | undefined,
    number: (name) => value(name) as number,
    flag: (name) => value(name) === true,
    list: (name) => value(name) as readonly string[],
    source: (name) => (NOT_HERE.has(name) ? "default" : given.source(name)),
    label: (name) => (NOT_HERE.has(name) ? `--${name}` : given.label(name)),
  };
}

/** All, or those that are named whole or by how they begin. */
export function chosen(all: readonly Check[], only: readonly string[]): readonly Check[] {
  const wanted = only.map((name) => {
    const text = name.toUpperCase();
    const found = all.filter(({ id }) => id === text || id.startsWith(`${text}-`));
    if (found.length > 0) return found;
    const ids = all.map(({ id }) => id);
    throw new Misuse(`There is no check ${name}.${didYouMean(text, ids)} There are: ${ids.join(", ")}.`);
  });
  return only.length === 0 ? all : all.filter((check) => wanted.flat().includes(check));
}

/** Runs in a shell with the environment of the program; what it prints must be JSON. */
export function probeOf(command: string | undefined, environment: Call["environment"]) {
  if (command === undefined) return undefined;
  return async (connection: Connection): Promise<unknown> => {
    const env = { ...environment, ...environmentFor(connection) };
    const { stdout } = await promisify(exec)(command, { env, timeout: 10_000 }).catch((error: unknown) => {
      throw new Failure(`The probe failed: ${messageOf(error)}`);
    });
    try {
      return JSON.parse(stdout) as unknown;
    } catch {
      throw new Failure(`The probe \`${command}\` must print JSON, and printed ${shown(stdout.slice(0, 80))}.`);
    }
  };
}

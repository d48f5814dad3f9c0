// The values that an argument or an option can have, for completion: known lists, folders of fixtures, and what the running sandbox holds.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createControl } from "../client/create-control.ts";
import table from "../contract/generated/commands.json" with { type: "json" };
import { EVENT_KINDS } from "../engine/domain/index.ts";
import { getMember } from "../platform/member-paths.ts";
import { getPackageRoot } from "../platform/package-folder.ts";
import { clientOptions } from "./command.ts";
import { findSandbox } from "./find-sandbox.ts";
import { type Environment, readOptions, textOf } from "./options.ts";

export const COMPLETED_SHELLS = ["bash", "zsh", "fish", "powershell"];

type ValueSource = (environment: Environment) => readonly string[] | Promise<readonly string[]>;

/** Who presses a key waits no longer than this. Then there are no candidates. */
const ANSWER_MS = 1500;
/** Entries of a list that are offered: more nobody reads on a line. */
const LATEST = 50;

async function findRunning(environment: Environment) {
  const given = readOptions(clientOptions, {}, environment);
  // Warnings are dropped: stderr is not for completion.
  const found = await findSandbox(given, environment, { limitMs: ANSWER_MS });
  if ("problem" in found) return undefined;
  const control = createControl({ url: found.url, controlToken: found.token }, textOf(given, "world"));
  return { control, signal: AbortSignal.timeout(ANSWER_MS) };
}

/** What every shell takes as it is. Anybody may have answered, and a candidate stands on the command line at once. */
const PLAIN_WORD = /^\w[\w.:@=+/-]*$/;

/** A member of each item that the sandbox lists. */
const listed =
  (path: string, member: string, query: object = {}): ValueSource =>
  async (environment) => {
    const sandbox = await findRunning(environment);
    if (sandbox === undefined) return [];
    const { control, signal } = sandbox;
    const { data } = await control.GET(path as "/_sandbox/snapshots", { params: { query }, signal });
    // The paths differ, and all answer with a list.
    const items: readonly object[] = data?.items ?? [];
    return items.map((item) => String(getMember(item, member))).filter((value) => PLAIN_WORD.test(value));
  };

const acts = listed("/_sandbox/acts", "act");
const operations = listed("/_sandbox/operations", "operation_id");
const worlds = listed("/_sandbox/worlds", "id");
const latest = (query: object) => listed("/_sandbox/log", "id", { ...query, limit: LATEST, view: "summary" });

/** All that some sources have, each once. */
const together =
  (...sources: readonly ValueSource[]): ValueSource =>
  async (environment) => [...new Set((await Promise.all(sources.map((source) => source(environment)))).flat())];

/** The numbers of the latest changes, and the names of the snapshots. */
const moments = together(
  listed("/_sandbox/history", "seq", { limit: LATEST }),
  listed("/_sandbox/snapshots", "name"),
  () => ["now"],
);

/** What was refused first, since that is what people ask about. */
const explainable = together(
  latest({ failed: "true" }),
  latest({ kinds: ["request", "act", "clock"] }),
  listed("/_sandbox/messages", "id", { limit: LATEST }),
);

const fixtures: ValueSource = () =>
  readdirSync(join(getPackageRoot(), "fixtures"), { withFileTypes: true })
    .filter((each) => each.isDirectory())
    .map(({ name }) => name);

/** The register is the same in every sandbox. Both its ids and its answers are words of a command. */
const assumptions: ValueSource = async () => {
  const all = (await import("../sandbox.ts")).shippedAssumptions();
  return all.flatMap(({ id, default: byDefault, alternatives }) => [
    ...[byDefault, ...alternatives.map(({ value }) => value)].map((value) => `${id}=${value}`),
  ]);
};

const kinds: ValueSource = () => EVENT_KINDS;

/** By the name of an argument that names nothing which the control surface lists; where that is too wide, with the command before it. */
const OF_ARGUMENT: Readonly<Record<string, ValueSource>> = {
  act: acts,
  assumption: assumptions,
  from: moments,
  kind: kinds,
  moment: moments,
  operation: operations,
  shell: () => COMPLETED_SHELLS,
  to: moments,
  "why id": explainable,
};

const OF_OPTION: Readonly<Record<string, ValueSource>> = {
  assume: assumptions,
  events: kinds,
  "filter-operation": operations,
  fixture: fixtures,
  kind: kinds,
  "webhook-events": kinds,
  world: worlds,
};

/** Of a path of the control surface: what lists such. A name that is free to choose is offered too, since it may be one to replace. */
function listOf(path: string, name: string): ValueSource | undefined {
  const argument = table.commands
    .find(({ command }) => command === path)
    ?.arguments.find(({ form }) => form.replace(/\W/g, "") === name);
  return argument?.list && listed(argument.list.path, argument.list.member);
}

/** Rejects where the sandbox does not answer; the caller turns that into no candidates. */
export async function findArgumentValues(
  path: string,
  name: string,
  environment: Environment,
): Promise<readonly string[]> {
  const source = OF_ARGUMENT[`${path} ${name}`] ?? listOf(path, name) ?? OF_ARGUMENT[name];
  return source?.(environment) ?? [];
}

export async function findOptionValues(name: string, environment: Environment): Promise<readonly string[]> {
  return OF_OPTION[name]?.(environment) ?? [];
}

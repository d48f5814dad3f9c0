// Finds the values of an argument or an option for shell completion: fixed lists, fixture folders, and records of the running sandbox.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createControl } from "../client/create-control.ts";
import table from "../contract/generated/commands.json" with { type: "json" };
import { EVENT_KINDS } from "../engine/domain/index.ts";
import { getMember } from "../platform/member-paths.ts";
import { getPackageRoot } from "../platform/package-folder.ts";
import { clientOptions } from "./command.ts";
import { findSandbox } from "./find-sandbox.ts";
import { type Environment, getText, readOptions } from "./options.ts";

export const COMPLETED_SHELLS = ["bash", "zsh", "fish", "powershell"];

type ValueSource = (environment: Environment) => readonly string[] | Promise<readonly string[]>;

/** The user waits at the keyboard, so completion offers no candidates after this time. */
const TIMEOUT_MS = 1500;
const MAX_LISTED_ENTRIES = 50;

async function connectToSandbox(environment: Environment) {
  const given = readOptions(clientOptions, {}, environment);
  // Warnings are dropped, because completion must not write to stderr.
  const found = await findSandbox(given, environment, { limitMs: TIMEOUT_MS });
  if ("problem" in found) return undefined;
  const control = createControl({ url: found.url, controlToken: found.token }, getText(given, "world"));
  return { control, signal: AbortSignal.timeout(TIMEOUT_MS) };
}

/** Candidates must need no quoting: another program may have responded, and the shell inserts the text into the command line. */
const PLAIN_WORD = /^\w[\w.:@=+/-]*$/;

/** Creates a source that lists one field of each item that the sandbox returns for a path. */
const listFromSandbox =
  (path: string, member: string, query: object = {}): ValueSource =>
  async (environment) => {
    const sandbox = await connectToSandbox(environment);
    if (sandbox === undefined) return [];
    const { control, signal } = sandbox;
    const { data } = await control.GET(path as "/_sandbox/snapshots", { params: { query }, signal });
    // All paths return a list, so the request is typed as that of one of them.
    const items: readonly object[] = data?.items ?? [];
    return items.map((item) => String(getMember(item, member))).filter((value) => PLAIN_WORD.test(value));
  };

const acts = listFromSandbox("/_sandbox/acts", "act");
const operations = listFromSandbox("/_sandbox/operations", "operation_id");
const worlds = listFromSandbox("/_sandbox/worlds", "id");
const listLatestEntries = (query: object) =>
  listFromSandbox("/_sandbox/log", "id", { ...query, limit: MAX_LISTED_ENTRIES, view: "summary" });

/** Creates a source with the distinct values of all sources. */
const combineSources =
  (...sources: readonly ValueSource[]): ValueSource =>
  async (environment) => [...new Set((await Promise.all(sources.map((source) => source(environment)))).flat())];

/** Points in time: the numbers of the latest changes, and the names of snapshots. */
const moments = combineSources(
  listFromSandbox("/_sandbox/history", "seq", { limit: MAX_LISTED_ENTRIES }),
  listFromSandbox("/_sandbox/snapshots", "name"),
  () => ["now"],
);

/** Rejected entries come first, because users mostly ask `why` about them. */
const explainable = combineSources(
  listLatestEntries({ failed: "true" }),
  listLatestEntries({ kinds: ["request", "act", "clock"] }),
  listFromSandbox("/_sandbox/messages", "id", { limit: MAX_LISTED_ENTRIES }),
);

const listFixtures: ValueSource = () =>
  readdirSync(join(getPackageRoot(), "fixtures"), { withFileTypes: true })
    .filter((each) => each.isDirectory())
    .map(({ name }) => name);

/** The list of assumptions is the same in every sandbox. */
const listAssumptions: ValueSource = async () => {
  const all = (await import("../sandbox.ts")).listDefaultAssumptions();
  return all.flatMap(({ id, default: byDefault, alternatives }) => [
    ...[byDefault, ...alternatives.map(({ value }) => value)].map((value) => `${id}=${value}`),
  ]);
};

const listKinds: ValueSource = () => EVENT_KINDS;

/** Sources by the name of the argument, or by command and argument where the same name means something else. */
const ARGUMENT_VALUES: Readonly<Record<string, ValueSource>> = {
  act: acts,
  assumption: listAssumptions,
  from: moments,
  kind: listKinds,
  moment: moments,
  operation: operations,
  shell: () => COMPLETED_SHELLS,
  to: moments,
  "why id": explainable,
};

const OPTION_VALUES: Readonly<Record<string, ValueSource>> = {
  assume: listAssumptions,
  events: listKinds,
  "filter-operation": operations,
  fixture: listFixtures,
  kind: listKinds,
  "webhook-events": listKinds,
  world: worlds,
};

/** Returns the source that the generated table names for an argument. It can exist for a new name too, which may replace one. */
function findListedValues(path: string, name: string): ValueSource | undefined {
  const argument = table.commands
    .find(({ command }) => command === path)
    ?.arguments.find(({ form }) => form.replace(/\W/g, "") === name);
  return argument?.list && listFromSandbox(argument.list.path, argument.list.member);
}

/** Rejects if the sandbox does not respond. The caller then offers no candidates. */
export async function findArgumentValues(
  path: string,
  name: string,
  environment: Environment,
): Promise<readonly string[]> {
  const source = ARGUMENT_VALUES[`${path} ${name}`] ?? findListedValues(path, name) ?? ARGUMENT_VALUES[name];
  return source?.(environment) ?? [];
}

export async function findOptionValues(name: string, environment: Environment): Promise<readonly string[]> {
  return OPTION_VALUES[name]?.(environment) ?? [];
}

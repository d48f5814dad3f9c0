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
import { type Environment, getText, readOptions } from "./options.ts";

export const COMPLETED_SHELLS = ["bash", "zsh", "fish", "powershell"];

type ValueSource = (environment: Environment) => readonly string[] | Promise<readonly string[]>;

/** Who presses a key waits no longer than this. Then there are no candidates. */
const TIMEOUT_MS = 1500;
/** Entries of a list that are offered: more nobody reads on a line. */
const MAX_LISTED_ENTRIES = 50;

async function connectToSandbox(environment: Environment) {
  const given = readOptions(clientOptions, {}, environment);
  // Warnings are dropped: stderr is not for completion.
  const found = await findSandbox(given, environment, { limitMs: TIMEOUT_MS });
  if ("problem" in found) return undefined;
  const control = createControl({ url: found.url, controlToken: found.token }, getText(given, "world"));
  return { control, signal: AbortSignal.timeout(TIMEOUT_MS) };
}

/** What every shell takes as it is. Anybody may have answered, and a candidate stands on the command line at once. */
const PLAIN_WORD = /^\w[\w.:@=+/-]*$/;

/** A member of each item that the sandbox lists. */
const listFromSandbox =
  (path: string, member: string, query: object = {}): ValueSource =>
  async (environment) => {
    const sandbox = await connectToSandbox(environment);
    if (sandbox === undefined) return [];
    const { control, signal } = sandbox;
    const { data } = await control.GET(path as "/_sandbox/snapshots", { params: { query }, signal });
    // The paths differ, and all answer with a list.
    const items: readonly object[] = data?.items ?? [];
    return items.map((item) => String(getMember(item, member))).filter((value) => PLAIN_WORD.test(value));
  };

const acts = listFromSandbox("/_sandbox/acts", "act");
const operations = listFromSandbox("/_sandbox/operations", "operation_id");
const worlds = listFromSandbox("/_sandbox/worlds", "id");
const listLatestEntries = (query: object) =>
  listFromSandbox("/_sandbox/log", "id", { ...query, limit: MAX_LISTED_ENTRIES, view: "summary" });

/** All that some sources have, each once. */
const combineSources =
  (...sources: readonly ValueSource[]): ValueSource =>
  async (environment) => [...new Set((await Promise.all(sources.map((source) => source(environment)))).flat())];

/** The numbers of the latest changes, and the names of the snapshots. */
const moments = combineSources(
  listFromSandbox("/_sandbox/history", "seq", { limit: MAX_LISTED_ENTRIES }),
  listFromSandbox("/_sandbox/snapshots", "name"),
  () => ["now"],
);

/** What was refused first, since that is what people ask about. */
const explainable = combineSources(
  listLatestEntries({ failed: "true" }),
  listLatestEntries({ kinds: ["request", "act", "clock"] }),
  listFromSandbox("/_sandbox/messages", "id", { limit: MAX_LISTED_ENTRIES }),
);

const listFixtures: ValueSource = () =>
  readdirSync(join(getPackageRoot(), "fixtures"), { withFileTypes: true })
    .filter((each) => each.isDirectory())
    .map(({ name }) => name);

/** The register is the same in every sandbox. Both its ids and its answers are words of a command. */
const listAssumptions: ValueSource = async () => {
  const all = (await import("../sandbox.ts")).listDefaultAssumptions();
  return all.flatMap(({ id, default: byDefault, alternatives }) => [
    ...[byDefault, ...alternatives.map(({ value }) => value)].map((value) => `${id}=${value}`),
  ]);
};

const listKinds: ValueSource = () => EVENT_KINDS;

/** By the name of an argument that names nothing which the control surface lists; where that is too wide, with the command before it. */
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

/** Of a path of the control surface: what lists such. A name that is free to choose is offered too, since it may be one to replace. */
function findListedValues(path: string, name: string): ValueSource | undefined {
  const argument = table.commands
    .find(({ command }) => command === path)
    ?.arguments.find(({ form }) => form.replace(/\W/g, "") === name);
  return argument?.list && listFromSandbox(argument.list.path, argument.list.member);
}

/** Rejects where the sandbox does not answer; the caller turns that into no candidates. */
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

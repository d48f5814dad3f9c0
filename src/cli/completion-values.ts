// The values that an argument or an option can have, for completion: known lists, folders of fixtures, and what the running sandbox holds.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { controlOf } from "../client/control.ts";
import { EVENT_KINDS } from "../engine/domain/kernel/kinds.ts";
import { packageFolder } from "../platform/package-folder.ts";
import { clientOptions } from "./command.ts";
import { FORMATS } from "./commands/export.ts";
import { COMPLETED_SHELLS } from "./completion-scripts.ts";
import { findSandbox } from "./find-sandbox.ts";
import { type Environment, readOptions, type Typed, textOf } from "./options.ts";

/** What was typed before may name the sandbox and the world. */
export interface Asked {
  typed: Typed;
  environment: Environment;
}

type Source = (asked: Asked) => readonly string[] | Promise<readonly string[]>;

/** Who presses a key waits no longer than this. */
const ANSWER_MS = 1500;
const LATEST = 50;

async function running({ typed, environment }: Asked) {
  const given = readOptions(clientOptions, typed, environment);
  const { url, token } = await findSandbox(given, environment);
  const control = controlOf({ url, controlToken: token }, textOf(given, "world"));
  return { control, signal: AbortSignal.timeout(ANSWER_MS) };
}

const acts: Source = async (asked) => {
  const { control, signal } = await running(asked);
  return (await control.GET("/_sandbox/acts", { signal })).data?.items.map(({ act }) => act) ?? [];
};

const operations: Source = async (asked) => {
  const { control, signal } = await running(asked);
  const { data } = await control.GET("/_sandbox/operations", { signal });
  return data?.items.map((each) => each.operation_id) ?? [];
};

const worlds: Source = async (asked) => {
  const { control, signal } = await running(asked);
  return (await control.GET("/_sandbox/worlds", { signal })).data?.items.map(({ id }) => id) ?? [];
};

const snapshots: Source = async (asked) => {
  const { control, signal } = await running(asked);
  return (await control.GET("/_sandbox/snapshots", { signal })).data?.items.map(({ name }) => name) ?? [];
};

/** The numbers of the latest changes, and the names of the snapshots. */
const moments: Source = async (asked) => {
  const { control, signal } = await running(asked);
  const { data } = await control.GET("/_sandbox/history", { params: { query: { limit: LATEST } }, signal });
  return [...(data?.items.map(({ seq }) => String(seq)) ?? []), ...(await snapshots(asked)), "now"];
};

const requests: Source = async (asked) => {
  const { control, signal } = await running(asked);
  const { data } = await control.GET("/_sandbox/requests", { params: { query: { limit: LATEST } }, signal });
  return data?.items.map(({ id }) => id) ?? [];
};

/** What was refused first, since that is what people ask about. */
const explainable: Source = async (asked) => {
  const { control, signal } = await running(asked);
  const latest = (query: { failed?: "true"; kinds?: ("request" | "act" | "clock")[] }) =>
    control.GET("/_sandbox/log", { params: { query: { ...query, limit: LATEST, view: "summary" } }, signal });
  const [refused, all] = await Promise.all([
    latest({ failed: "true" }),
    latest({ kinds: ["request", "act", "clock"] }),
  ]);
  const ids = [refused, all].flatMap(({ data }) => data?.items.map(({ id }) => id) ?? []);
  return [...new Set([...ids, ...(await messages(asked))])];
};

const messages: Source = async (asked) => {
  const { control, signal } = await running(asked);
  const { data } = await control.GET("/_sandbox/messages", { params: { query: { limit: LATEST } }, signal });
  return data?.items.map(({ id }) => id) ?? [];
};

const fixtures: Source = () =>
  readdirSync(join(packageFolder(), "fixtures"), { withFileTypes: true })
    .filter((each) => each.isDirectory())
    .map(({ name }) => name);

/** The register is the same in every sandbox. Both its ids and its answers are words of a command. */
const assumptions: Source = async () => {
  const all = (await import("../sandbox.ts")).shippedAssumptions();
  return all.flatMap(({ id, default: usual, alternatives }) => [
    `${id}=`,
    ...[usual, ...alternatives.map(({ value }) => value)].map((value) => `${id}=${value}`),
  ]);
};

const kinds: Source = () => EVENT_KINDS;

/** By the name of an argument; where the name alone is too wide, with the command before it. */
const OF_ARGUMENT: Readonly<Record<string, Source>> = {
  act: acts,
  assumption: assumptions,
  format: () => FORMATS,
  from: moments,
  kind: kinds,
  message: messages,
  moment: moments,
  operation: operations,
  request: requests,
  shell: () => COMPLETED_SHELLS,
  to: moments,
  "why id": explainable,
  "world fork id": worlds,
  "world rm id": worlds,
  "snapshot load name": snapshots,
  "snapshot rm name": snapshots,
};

const OF_OPTION: Readonly<Record<string, Source>> = {
  assume: assumptions,
  events: kinds,
  "filter-operation": operations,
  fixture: fixtures,
  kind: kinds,
  "webhook-events": kinds,
  world: worlds,
};

export async function valuesOfArgument(path: string, name: string, asked: Asked): Promise<readonly string[]> {
  return (OF_ARGUMENT[`${path} ${name}`] ?? OF_ARGUMENT[name])?.(asked) ?? [];
}

export async function valuesOfOption(name: string, asked: Asked): Promise<readonly string[]> {
  return OF_OPTION[name]?.(asked) ?? [];
}

// The state of the shown world: its description and its log. Both are read regularly and after each action of this page, because
// programs and other people change the world as well. A hidden page reads nothing.
import { computed, effect, signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { describeError, reach, read, SandboxError, type Schemas } from "./api.ts";
import type { Entry } from "./entries.ts";
import { worldId } from "./router.ts";
import { type Story, toStories } from "./story/stories.ts";

/** The requests of a page count towards the quota of a team, so they are fewer there. */
const [POLL_MS, TEAM_POLL_MS] = [1000, 4000];
const SECOND_MS = 1000;
/** The maximum that the sandbox lists in one response. */
const PAGE_SIZE = 1000;
/** Older pages are loaded until they contain this many stories, because thousands of deliveries may lie between two. */
const MIN_OLDER_STORIES = 50;
/** New entries replace the oldest ones beyond this number, unless the user loaded more. They are dropped in batches. */
const [MAX_ENTRIES, DROP_BATCH_SIZE] = [20_000, 1000];

export const sandbox = signal<Schemas["SandboxDescription"] | undefined>(undefined);
/** The user of the console, if several users share the sandbox. */
export const caller = signal<Schemas["Caller"] | undefined>(undefined);
/** The reason why the world of the address can't be shown, or "". */
export const worldProblem = signal("");
/** Grows after each change of the world. What was read before is read again. */
export const worldVersion = signal(0);
/** The stories of the loaded part of the log, oldest first. */
export const stories = signal<readonly Story[]>([]);
export const isLoadingLog = signal(true);
export const mayHaveOlder = signal(false);
/** The number of entries that the sandbox dropped. */
export const droppedCount = signal(0);
/** The id of the shown world as the sandbox reports it. An address without a world means the caller's default world. */
export const selectedWorld = computed(() => sandbox.value?.world ?? worldId.value);
/** The default world, which can be reset but not removed. */
export const defaultWorld = computed(() => caller.value?.default_world ?? "default");

/** When the sandbox last reported the world's time, on the clock of the page. */
let updatedAt = 0;

/** Returns the world's time in milliseconds. A running clock is extrapolated between two responses. */
function getWorldNow(): number {
  const described = sandbox.peek();
  if (!described) return 0;
  const passed = described.mode === "running" ? performance.now() - updatedAt : 0;
  return Date.parse(described.now) + passed;
}

/** Returns the world's time in ISO 8601, UTC. The component is rendered every second while the clock runs. */
export function useWorldNow(): string {
  const [, tick] = useState(0);
  const runs = sandbox.value?.mode === "running";
  useEffect(() => {
    if (!runs) return;
    const timer = setTimeout(() => tick((n) => n + 1), SECOND_MS - (getWorldNow() % SECOND_MS));
    return () => clearTimeout(timer);
  });
  return new Date(getWorldNow()).toISOString();
}

interface Log {
  /** The entries by their number. */
  entries: Map<number, Entry>;
  limit: number;
  /** The number of the latest entry of the sandbox, or undefined if the log was not read yet. */
  latest?: number;
  /** The number of the oldest loaded entry. */
  oldest?: number | undefined;
}
const createLog = (): Log => ({ entries: new Map(), limit: MAX_ENTRIES });

/** A response that arrives after the log was replaced is ignored. */
let log = createLog();

function startLog(): void {
  log = createLog();
  stories.value = [];
  isLoadingLog.value = true;
  mayHaveOlder.value = false;
}

/** The entries after `since`, or those before the oldest loaded one. */
const readPage = ({ oldest }: Log, since?: number) =>
  read("/_sandbox/log", {
    query: { view: "told", limit: PAGE_SIZE, since, before: since === undefined ? oldest : undefined },
  });

function publishLog(current: Log): void {
  const { entries, limit } = current;
  const sorted = [...entries.values()].sort((a, b) => a.seq - b.seq);
  if (sorted.length > limit + DROP_BATCH_SIZE) {
    for (const { seq } of sorted.splice(0, sorted.length - limit)) entries.delete(seq);
    current.oldest = sorted[0]?.seq;
    mayHaveOlder.value = true;
  }
  stories.value = toStories(sorted);
}

/** Loads a page of older entries, or the newest page of a log that was not read yet. */
export async function loadOlder(): Promise<void> {
  const current = log;
  const known = stories.peek().length;
  do {
    const { items, seq, dropped } = await readPage(current);
    if (log !== current) return;
    for (const entry of items) current.entries.set(entry.seq, entry);
    current.latest ??= seq;
    current.oldest = items[0]?.seq ?? current.oldest;
    current.limit = Math.max(current.limit, current.entries.size);
    mayHaveOlder.value = items.length === PAGE_SIZE;
    droppedCount.value = dropped.count;
    publishLog(current);
  } while (mayHaveOlder.peek() && stories.peek().length < known + MIN_OLDER_STORIES);
  isLoadingLog.value = false;
}

/** Loads the complete log, for filters and groups. */
export async function loadAll(): Promise<void> {
  const current = log;
  while (mayHaveOlder.peek() && log === current) await loadOlder();
}

/** Changes that start a new log. A world may be created under the name of a removed one. */
const startsLog = (entry: Entry): boolean =>
  entry.kind === "world" && ["created", "reset", "import", "restore"].includes(entry.change);

async function loadNewer(since: number): Promise<void> {
  const current = log;
  const { items, seq, dropped } = await readPage(current, since);
  if (log !== current) return;
  current.latest = seq;
  if (items.length === 0) return;
  worldVersion.value++;
  // Entries between the last page and a full one are missing, so the log starts again with the newest page.
  if (items.some(startsLog) || items.length === PAGE_SIZE) {
    startLog();
    return loadOlder();
  }
  for (const entry of items) current.entries.set(entry.seq, entry);
  droppedCount.value = dropped.count;
  publishLog(current);
}

/** Returns true if the world does not exist or is set aside. Other errors are temporary and hide nothing. */
const isWorldUnavailable = (reason: unknown): boolean =>
  reason instanceof SandboxError && [404, 503].includes(reason.status);

async function refresh(): Promise<void> {
  const id = worldId.peek();
  try {
    const described = await read("/_sandbox");
    if (id !== worldId.peek()) return;
    // A restarted sandbox may number its entries differently, and have other records.
    const known = sandbox.peek()?.instance;
    if (described.instance !== known) startLog();
    if (known !== undefined && described.instance !== known) worldVersion.value++;
    updatedAt = performance.now();
    worldProblem.value = "";
    sandbox.value = described;
    // The role of a team member can change; a sandbox without teams has no roles.
    if (caller.peek()?.team !== null) caller.value = await read("/_sandbox/me");
    await (log.latest === undefined ? loadOlder() : loadNewer(log.latest));
  } catch (reason) {
    // The first page is shown even if the next one could not be read.
    if (log.latest !== undefined) isLoadingLog.value = false;
    // Another user may sign in.
    if (reach.peek() === "locked") caller.value = undefined;
    if (!isWorldUnavailable(reason) || id !== worldId.peek()) return;
    sandbox.value = undefined;
    worldProblem.value = describeError(reason);
  }
}

/** Reads everything again that the page shows. Called after each action of the user. */
export function reload(): Promise<void> {
  worldVersion.value++;
  return refresh();
}

export function keepFresh(): void {
  effect(() => {
    worldId.value;
    sandbox.value = undefined;
    worldProblem.value = "";
    startLog();
    void refresh();
  });
  const schedulePoll = () => {
    const wait = caller.peek()?.team ? TEAM_POLL_MS : POLL_MS;
    setTimeout(() => void (document.hidden ? Promise.resolve() : refresh()).finally(schedulePoll), wait);
  };
  schedulePoll();
}

// The log of the shown world: the stored entries first, then those of the stream. Screens read `stories` when
// `logVersion` changes, at most once per frame.
import { effect, signal, untracked } from "@preact/signals";
import { control, unwrap } from "../api.ts";
import type { Entry } from "../entries.ts";
import { FIRST_PAGE_SIZE } from "../prefetch.ts";
import { worldId } from "../router.ts";
import { createStories } from "../story/stories.ts";
import { followWorld, type StreamEvent } from "../stream.ts";
import { refreshSoon, sandbox } from "./world.ts";

export const stories = createStories();
export const logVersion = signal(0);
/** The number of entries that the sandbox dropped, or that the stream skipped. */
export const droppedCount = signal(0);
export const loading = signal(true);
export const mayHaveOlder = signal(false);

const PAGE_SIZE = 1000;
/** Changes that start a new log. A world may be created under the name of a removed one. */
const RESTARTING_CHANGES = new Set(["created", "reset", "import", "restore"]);

let frame = 0;
/** The last known entry, and the run of the sandbox that wrote it. */
let latest = 0;
let instance = "";
/** The number of the oldest entry that was loaded, of any kind. */
let oldest: number | undefined;
/** The number of times that the log was restarted. Pages of an earlier generation are ignored. */
let generation = 0;
/** The log could not be loaded. It is loaded again as soon as the sandbox responds. */
let hasReadFailed = false;

function scheduleUpdate(): void {
  frame ||= requestAnimationFrame(publishUpdate);
}

function publishUpdate(): void {
  cancelAnimationFrame(frame);
  frame = 0;
  logVersion.value++;
}

async function loadPage(limit: number): Promise<void> {
  const [startGeneration, before] = [generation, oldest];
  const query = { view: "told" as const, limit, ...(before === undefined ? {} : { before }) };
  const page = await unwrap(control.peek().GET("/_sandbox/log", { params: { query } }));
  if (startGeneration !== generation) return;
  for (const entry of page.items) stories.add(entry);
  if (before === undefined) latest = Math.max(latest, page.seq);
  oldest = page.items[0]?.seq ?? before;
  droppedCount.value = page.dropped.count;
  mayHaveOlder.value = page.items.length === limit;
  scheduleUpdate();
}

/** Loads older pages until one contains a story, because thousands of deliveries may lie between two stories. */
export async function loadOlder(limit = PAGE_SIZE): Promise<void> {
  const [startGeneration, before] = [generation, stories.all[0]];
  await loadPage(limit);
  while (mayHaveOlder.peek() && stories.all[0] === before && startGeneration === generation) await loadPage(PAGE_SIZE);
}

/** Loads the complete log, for filters and groups. */
export async function loadAll(): Promise<void> {
  const startGeneration = generation;
  while (mayHaveOlder.peek() && startGeneration === generation) await loadOlder();
}

/** Forgets all entries. */
function clear(): void {
  generation++;
  hasReadFailed = false;
  stories.clear();
  oldest = undefined;
  droppedCount.value = 0;
  mayHaveOlder.value = false;
}

/** Handles an event of the stream. A delivery changes no record, so it reloads nothing. */
function handleEvent({ kind, seq, data }: StreamEvent): void {
  latest = Math.max(latest, seq);
  if (kind === "hello") {
    noticeRun((data as { instance: string }).instance);
    refreshSoon();
  } else if (kind === "gap") {
    droppedCount.value += (data as { dropped: { count: number } }).dropped.count;
    scheduleUpdate();
  } else if (kind !== "fact") {
    const entry = data as Entry;
    // An entry that was loaded before must not clear the entries after it.
    if (entry.kind === "world" && RESTARTING_CHANGES.has(entry.change) && entry.seq > stories.last) {
      clear();
      loading.value = false;
    }
    stories.add(entry);
    scheduleUpdate();
    if (kind !== "delivery") refreshSoon();
  }
}

/**
 * Restarts the log after a restart of the sandbox, which numbers entries from 1. Tabs without a stream notice by
 * polling.
 */
function noticeRun(run: string): void {
  if ((instance && instance !== run) || hasReadFailed) void restartLog();
  instance = run;
}

async function restartLog(): Promise<void> {
  clear();
  latest = 0;
  loading.value = true;
  scheduleUpdate();
  const startGeneration = generation;
  // The visible lines are loaded first, then the rest of the page.
  const isRead = await loadOlder(FIRST_PAGE_SIZE).then(
    () => true,
    () => false,
  );
  if (startGeneration !== generation) return;
  hasReadFailed = !isRead;
  if (hasReadFailed) return;
  loading.value = false;
  publishUpdate();
  if (mayHaveOlder.peek()) runAfterPaint(() => void loadOlder().catch(() => undefined));
}

/** A timer that is set in an animation frame fires after the paint. */
const runAfterPaint = (run: () => void) => requestAnimationFrame(() => setTimeout(run));

export function followLog(): void {
  effect(() => {
    const run = sandbox.value?.instance;
    if (run) untracked(() => noticeRun(run));
  });
  effect(() => {
    const world = worldId.value;
    const ready = restartLog();
    return followWorld({ world, ready, since: () => ({ since: String(latest), instance }), onEvent: handleEvent });
  });
}

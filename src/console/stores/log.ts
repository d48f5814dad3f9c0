// The log of the world that is looked at: what it has kept, then what the stream adds. Screens read `stories` when `logVersion` tells so,
// at most once a frame.
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
/** Entries that the sandbox let go, or that the stream left out. */
export const droppedCount = signal(0);
export const loading = signal(true);
export const mayHaveOlder = signal(false);

const PAGE_SIZE = 1000;
/** With these the log begins anew; a world may be made under the name of one that was removed. */
const RESTARTING_CHANGES = new Set(["created", "reset", "import", "restore"]);

let frame = 0;
/** Up to where everything is known, and of which run of the sandbox. */
let latest = 0;
let instance = "";
/** The oldest entry that was read, of any kind. */
let oldest: number | undefined;
/** How often the log has begun anew: a page of an earlier one is not taken. */
let generation = 0;
/** Nobody has answered what is in it. */
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

/** From the oldest that is here further back, to a page with a story: there may be thousands of deliveries between two. */
export async function loadOlder(limit = PAGE_SIZE): Promise<void> {
  const [startGeneration, before] = [generation, stories.all[0]];
  await loadPage(limit);
  while (mayHaveOlder.peek() && stories.all[0] === before && startGeneration === generation) await loadPage(PAGE_SIZE);
}

/** What is filtered or grouped is looked for in all that the log has. */
export async function loadAll(): Promise<void> {
  const startGeneration = generation;
  while (mayHaveOlder.peek() && startGeneration === generation) await loadOlder();
}

/** Nothing is known of the log. */
function clear(): void {
  generation++;
  hasReadFailed = false;
  stories.clear();
  oldest = undefined;
  droppedCount.value = 0;
  mayHaveOlder.value = false;
}

/** A delivery changes no record, so nothing is read again for it. */
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
    // One that is read once more has its successors here already.
    if (entry.kind === "world" && RESTARTING_CHANGES.has(entry.change) && entry.seq > stories.last) {
      clear();
      loading.value = false;
    }
    stories.add(entry);
    scheduleUpdate();
    if (kind !== "delivery") refreshSoon();
  }
}

/** Another run of the sandbox counts from one again. A tab that reads no stream learns of it by what every tab asks for. */
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
  // What is in sight first, and then the rest of a page.
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

/** A timer that is set in a frame fires when the frame has been drawn. */
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

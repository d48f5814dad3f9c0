// The log of the world that is looked at: what it has kept, then what the stream adds. Screens read `stories` when `changed` tells so,
// at most once a frame.
import { effect, signal, untracked } from "@preact/signals";
import { control, unwrap } from "../api.ts";
import { LINES_IN_SIGHT } from "../early.ts";
import type { Entry } from "../entries.ts";
import { worldId } from "../router.ts";
import { makeStories } from "../story/stories.ts";
import { followWorld, type StreamEvent } from "../stream.ts";
import { refreshSoon, sandbox } from "./world.ts";

export const stories = makeStories();
export const changed = signal(0);
/** Entries that the sandbox let go, or that the stream left out. */
export const left = signal(0);
export const loading = signal(true);
export const mayHaveOlder = signal(false);

const PAGE = 1000;
/** With these the log begins anew; a world may be made under the name of one that was removed. */
const ANEW = new Set(["created", "reset", "import", "restore"]);

let frame = 0;
/** Up to where everything is known, and of which run of the sandbox. */
let latest = 0;
let instance = "";
/** The oldest entry that was read, of any kind. */
let oldest: number | undefined;
/** How often the log has begun anew: a page of an earlier one is not taken. */
let beginnings = 0;
/** Nobody has answered what is in it. */
let isUnread = false;

function touch(): void {
  frame ||= requestAnimationFrame(show);
}

function show(): void {
  cancelAnimationFrame(frame);
  frame = 0;
  changed.value++;
}

async function loadPage(limit: number): Promise<void> {
  const [beginning, before] = [beginnings, oldest];
  const query = { view: "told" as const, limit, ...(before === undefined ? {} : { before }) };
  const page = await unwrap(control.peek().GET("/_sandbox/log", { params: { query } }));
  if (beginning !== beginnings) return;
  for (const entry of page.items) stories.add(entry);
  if (before === undefined) latest = Math.max(latest, page.seq);
  oldest = page.items[0]?.seq ?? before;
  left.value = page.dropped.count;
  mayHaveOlder.value = page.items.length === limit;
  touch();
}

/** From the oldest that is here further back, to a page with a story: there may be thousands of deliveries between two. */
export async function loadOlder(limit = PAGE): Promise<void> {
  const [beginning, before] = [beginnings, stories.all[0]];
  await loadPage(limit);
  while (mayHaveOlder.peek() && stories.all[0] === before && beginning === beginnings) await loadPage(PAGE);
}

/** What is filtered or grouped is looked for in all that the log has. */
export async function loadAll(): Promise<void> {
  const beginning = beginnings;
  while (mayHaveOlder.peek() && beginning === beginnings) await loadOlder();
}

/** Nothing is known of the log. */
function clear(): void {
  beginnings++;
  isUnread = false;
  stories.clear();
  oldest = undefined;
  left.value = 0;
  mayHaveOlder.value = false;
}

/** A delivery changes no record, so nothing is read again for it. */
function hear({ kind, seq, data }: StreamEvent): void {
  latest = Math.max(latest, seq);
  if (kind === "hello") {
    noticeRun((data as { instance: string }).instance);
    refreshSoon();
  } else if (kind === "gap") {
    left.value += (data as { dropped: { count: number } }).dropped.count;
    touch();
  } else if (kind !== "fact") {
    const entry = data as Entry;
    // One that is read once more has its successors here already.
    if (entry.kind === "world" && ANEW.has(entry.change) && entry.seq > stories.last) {
      clear();
      loading.value = false;
    }
    stories.add(entry);
    touch();
    if (kind !== "delivery") refreshSoon();
  }
}

/** Another run of the sandbox counts from one again. A tab that reads no stream learns of it by what every tab asks for. */
function noticeRun(run: string): void {
  if ((instance && instance !== run) || isUnread) void begin();
  instance = run;
}

async function begin(): Promise<void> {
  clear();
  latest = 0;
  loading.value = true;
  touch();
  const beginning = beginnings;
  // What is in sight first, and then the rest of a page.
  const isRead = await loadOlder(LINES_IN_SIGHT).then(
    () => true,
    () => false,
  );
  if (beginning !== beginnings) return;
  isUnread = !isRead;
  if (isUnread) return;
  loading.value = false;
  show();
  if (mayHaveOlder.peek()) afterPaint(() => void loadOlder().catch(() => undefined));
}

/** A timer that is set in a frame fires when the frame has been drawn. */
const afterPaint = (run: () => void) => requestAnimationFrame(() => setTimeout(run));

export function followLog(): void {
  effect(() => {
    const run = sandbox.value?.instance;
    if (run) untracked(() => noticeRun(run));
  });
  effect(() => {
    const world = worldId.value;
    const ready = begin();
    return followWorld({ world, ready, since: () => ({ since: String(latest), instance }), tell: hear });
  });
}

// The log of the world that is looked at: what it has kept, then what the stream adds. Screens read `stories` when `changed` tells so,
// at most once a frame.
import { effect, signal } from "@preact/signals";
import { dataOf, send } from "../api.ts";
import type { Entry } from "../entries.ts";
import { worldId } from "../router.ts";
import { makeStories } from "../story/stories.ts";
import { followWorld, type Told } from "../stream.ts";
import { refreshSoon } from "./world.ts";

export const stories = makeStories();
export const changed = signal(0);
/** Entries that the sandbox let go, or that the stream left out. */
export const left = signal(0);
export const loading = signal(true);
export const mayHaveOlder = signal(false);

const FIRST_MANY = 1000;
let frame = 0;

function touch(): void {
  if (frame) return;
  frame = requestAnimationFrame(() => {
    frame = 0;
    changed.value++;
  });
}

interface Page {
  items: readonly Entry[];
  seq: number;
  dropped: { count: number; since: string | null };
}

async function askLog(world: string, query: Record<string, string>): Promise<Page> {
  const search = new URLSearchParams({ world, view: "summary", ...query });
  const response = await send(new Request(`/_sandbox/log?${search}`));
  return dataOf<Page>(Promise.resolve({ data: await response.json(), response }));
}

/** From the oldest that is here, further back. */
export async function loadOlder(): Promise<void> {
  const oldest = stories.all[0]?.head.seq;
  const page = await askLog(worldId.peek(), {
    limit: String(FIRST_MANY),
    ...(oldest === undefined ? {} : { before: String(oldest) }),
  });
  for (const entry of page.items) stories.add(entry);
  left.value = page.dropped.count;
  touch();
  mayHaveOlder.value = page.items.length === FIRST_MANY;
}

let instance = "";

function hear({ kind, data }: Told): void {
  if (kind === "hello") {
    const { instance: run } = data as { instance: string };
    // Another run of the sandbox counts from one again.
    if (instance && instance !== run) begin();
    instance = run;
    refreshSoon();
  } else if (kind === "gap") {
    left.value += (data as { dropped: { count: number } }).dropped.count;
    touch();
  } else if (kind !== "fact") {
    stories.add(data as Entry);
    touch();
    if (kind !== "delivery") refreshSoon();
  }
}

function begin(): void {
  stories.clear();
  left.value = 0;
  loading.value = true;
  touch();
  loadOlder()
    .catch(() => undefined)
    .finally(() => {
      loading.value = false;
    });
}

export function followLog(): void {
  effect(() => {
    const world = worldId.value;
    begin();
    return followWorld({ world, since: () => stories.last, tell: hear });
  });
}

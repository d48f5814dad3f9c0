// Groups log entries into stories: a request, act or clock move with the webhook deliveries that it caused.
import { findFirstIndex } from "../../platform/first-index.ts";
import type { DeliveryEntry, Entry, Head } from "../entries.ts";

export interface Story {
  head: Head;
  /** The latest attempt of each delivery, by delivery id. */
  deliveries: Map<string, DeliveryEntry>;
}

interface Stories {
  /** All stories in the order of their entries. */
  readonly all: readonly Story[];
  readonly last: number;
  /** The number of stories that were dropped to limit memory. */
  readonly dropped: number;
  add(entry: Entry): void;
  clear(): void;
}

/** New stories replace the oldest ones beyond this number, unless the user loaded more. */
const MAX_STORIES = 20_000;
/** Stories are dropped in batches, because each batch has a fixed cost. */
const DROP_BATCH_SIZE = 1_000;

/** Collects entries in any order. Duplicates are ignored, because the log, the stream and older pages overlap. */
export function createStories(): Stories {
  let all: Story[] = [];
  let limit = MAX_STORIES;
  let dropped = 0;
  let last = 0;
  const byId = new Map<string, Story>();
  /** Attempts that arrived before the story they belong to. */
  const pendingAttempts = new Map<string, DeliveryEntry[]>();
  // The number identifies an entry, because all attempts of a delivery have the same id.
  const seen = new Set<number>();

  const attach = (story: Story, entry: DeliveryEntry): void => {
    const known = story.deliveries.get(entry.delivery_id);
    if (!known || known.seq < entry.seq) story.deliveries.set(entry.delivery_id, entry);
  };

  const addAttempt = (entry: DeliveryEntry): void => {
    const cause = entry.cause.id;
    const story = byId.get(cause);
    if (story) attach(story, entry);
    else pendingAttempts.set(cause, [...(pendingAttempts.get(cause) ?? []), entry]);
  };

  const addHead = (head: Head): void => {
    const story: Story = { head, deliveries: new Map() };
    byId.set(head.id, story);
    for (const entry of pendingAttempts.get(head.id) ?? []) attach(story, entry);
    pendingAttempts.delete(head.id);
    insert(all, story);
  };

  return {
    get all() {
      return all;
    },
    get last() {
      return last;
    },
    get dropped() {
      return dropped;
    },
    add(entry) {
      if (seen.has(entry.seq)) return;
      seen.add(entry.seq);
      const isOlder = entry.seq < (all[0]?.head.seq ?? 0);
      last = Math.max(last, entry.seq);
      if (entry.kind === "delivery") addAttempt(entry);
      else addHead(entry);
      if (isOlder) limit = Math.max(limit, all.length);
      if (all.length <= limit + DROP_BATCH_SIZE) return;
      const gone = all.slice(0, all.length - limit);
      for (const { head } of gone) byId.delete(head.id);
      dropped += gone.length;
      all = all.slice(gone.length);
      const oldest = all[0]?.head.seq ?? 0;
      for (const seq of seen) if (seq < oldest) seen.delete(seq);
      for (const [cause, entries] of pendingAttempts)
        if (entries.every(({ seq }) => seq < oldest)) pendingAttempts.delete(cause);
    },
    clear() {
      all = [];
      limit = MAX_STORIES;
      dropped = 0;
      last = 0;
      byId.clear();
      pendingAttempts.clear();
      seen.clear();
    },
  };
}

/** Inserts the story in order: usually at the end, sometimes before thousands of newer ones. */
function insert(all: Story[], story: Story): void {
  const index = findFirstIndex(all.length, (at) => (all[at] as Story).head.seq < story.head.seq);
  all.splice(index, 0, story);
}

/** Returns true if the request, act or one of its webhooks failed. */
export const hasFailed = ({ head, deliveries }: Story): boolean =>
  hasHeadFailed(head) || [...deliveries.values()].some(hasAttemptFailed);

export function hasHeadFailed(head: Head): boolean {
  if (head.kind === "request") return head.status === null || head.status >= 400;
  return head.kind === "act" && head.status === "refused";
}

/** Returns true if the receiver rejected the attempt or did not respond. */
export const hasAttemptFailed = ({ attempt }: DeliveryEntry): boolean =>
  attempt.status === null || attempt.status < 200 || attempt.status >= 300;

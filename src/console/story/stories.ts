// Stories: an entry of the log with what followed from it. The attempts of a delivery belong to the story that caused their message.
import { firstIndex } from "../../platform/first-index.ts";
import type { DeliveryEntry, Entry, Head } from "../entries.ts";

export interface Story {
  head: Head;
  /** By delivery, the latest attempt. */
  deliveries: Map<string, DeliveryEntry>;
}

interface Stories {
  /** In the order of their heads. */
  readonly all: readonly Story[];
  readonly last: number;
  /** How many were let go to keep the memory small. */
  readonly dropped: number;
  add(entry: Entry): void;
  clear(): void;
}

/** Old ones beyond this are let go when new ones come, unless more were looked for; the log of the sandbox has its own limit. */
const MAX_STORIES = 20_000;
/** Let go in one go, so that the cost is spread. */
const DROP_BATCH_SIZE = 1_000;

/** Entries may come in any order and twice: from the log, from the stream, from older pages. */
export function createStories(): Stories {
  let all: Story[] = [];
  let limit = MAX_STORIES;
  let dropped = 0;
  let last = 0;
  const byId = new Map<string, Story>();
  /** Attempts that the stream sent before the story they belong to. */
  const pendingAttempts = new Map<string, DeliveryEntry[]>();
  // By number: an attempt of a delivery has the id of the one before.
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

/** At the end, or among thousands that are newer. */
function insert(all: Story[], story: Story): void {
  const index = firstIndex(all.length, (at) => (all[at] as Story).head.seq < story.head.seq);
  all.splice(index, 0, story);
}

/** Itself, or a webhook of it. */
export const hasFailed = ({ head, deliveries }: Story): boolean =>
  hasHeadFailed(head) || [...deliveries.values()].some(hasAttemptFailed);

export function hasHeadFailed(head: Head): boolean {
  if (head.kind === "request") return head.status === null || head.status >= 400;
  return head.kind === "act" && head.status === "refused";
}

/** Without a status there was no answer. */
export const hasAttemptFailed = ({ attempt }: DeliveryEntry): boolean =>
  attempt.status === null || attempt.status < 200 || attempt.status >= 300;

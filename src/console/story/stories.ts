// Groups log entries into stories: a request, act or clock move with the webhook deliveries that it caused.
import type { DeliveryEntry, Entry, Head } from "../entries.ts";

export interface Story {
  head: Head;
  /** The latest attempt of each delivery. */
  deliveries: readonly DeliveryEntry[];
}

/** Groups entries, which are sorted by their number. Deliveries without the entry that caused them are left out. */
export function toStories(entries: readonly Entry[]): Story[] {
  const heads: Head[] = [];
  const attempts = new Map<string, Map<string, DeliveryEntry>>();
  for (const entry of entries)
    if (entry.kind !== "delivery") heads.push(entry);
    else {
      const known = attempts.get(entry.cause.id);
      if (known) known.set(entry.delivery_id, entry);
      else attempts.set(entry.cause.id, new Map([[entry.delivery_id, entry]]));
    }
  return heads.map((head) => ({ head, deliveries: [...(attempts.get(head.id)?.values() ?? [])] }));
}

/** Returns true if the request, act or one of its webhooks failed. */
export const hasFailed = ({ head, deliveries }: Story): boolean =>
  hasHeadFailed(head) || deliveries.some(hasAttemptFailed);

export function hasHeadFailed(head: Head): boolean {
  if (head.kind === "request") return head.status === null || head.status >= 400;
  return head.kind === "act" && head.status === "refused";
}

/** Returns true if the receiver rejected the attempt or did not respond. */
export const hasAttemptFailed = ({ attempt }: DeliveryEntry): boolean =>
  attempt.status === null || attempt.status < 200 || attempt.status >= 300;

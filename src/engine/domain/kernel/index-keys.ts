// Builds the keys of indexes, so that rules and collections use the same ones.
import { fromMillis, type Instant, toMillis } from "./instant.ts";

/** Joins a key of two parts; the first is matched exactly, the second is ordered. */
export function joinKeys(first: string, second: string): string {
  return `${first}\u0002${second}`;
}

/** Returns a key that sorts behind every key of two parts that starts with `first`. */
export function toPrefixEnd(first: string): string {
  return `${first}\u0003`;
}

/** Returns a key that sorts directly behind every entry of this key, for any record id. */
export function toKeyEnd(key: string): string {
  return `${key}\u0001`;
}

/** Formats a number as text that sorts like the number. */
export function toSortable(position: number): string {
  return String(position).padStart(12, "0");
}

/** First attempts and retries of a subscription are queued separately, so that neither delays the other. */
export function toQueueKey(delivery: { subscription_id: string; tries: number }): string {
  return joinKeys(delivery.subscription_id, delivery.tries === 0 ? "first" : "retry");
}

/** Normalizes the URL of a receiver; a fragment is never sent. The text of a damaged record may not be a URL. */
export function normalizeUrl(url: string): string {
  if (!URL.canParse(url)) return url;
  const address = new URL(url);
  address.hash = "";
  return address.href;
}

const DAY = 86_400_000;

/** Lists the UTC days that a span touches. */
export function listDays(from: Instant, until: Instant): string[] {
  const found = [from.slice(0, 10)];
  const last = until.slice(0, 10);
  for (let day = toMillis(`${found[0]}T00:00:00Z`) + DAY; (found.at(-1) ?? last) < last; day += DAY)
    found.push(fromMillis(day).slice(0, 10));
  return found;
}

// How keys of an index are written, so that rules and collections agree on them.
import { fromMillis, type Instant, toMillis } from "./instant.ts";

/** A key of two parts; the first is matched whole, the second is ordered. */
export function two(first: string, second: string): string {
  return `${first}\u0002${second}`;
}

/** Behind every key of two parts that starts with `first`. */
export function endOf(first: string): string {
  return `${first}\u0003`;
}

/** Sorts directly behind every entry of this key, for any record id. */
export function behindKey(key: string): string {
  return `${key}\u0001`;
}

/** A number as text that sorts like the number. */
export function ordered(position: number): string {
  return String(position).padStart(12, "0");
}

/** First attempts and retries of a subscription wait in two queues, so that neither holds up the other. */
export function queueOf(delivery: { subscription_id: string; tries: number }): string {
  return two(delivery.subscription_id, delivery.tries === 0 ? "first" : "retry");
}

/** Where a URL is delivered to, in one spelling; a fragment is never sent. A damaged record may have a text that is none. */
export function addressOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const address = new URL(url);
  address.hash = "";
  return address.href;
}

const DAY = 86_400_000;

/** The UTC days that a span touches. */
export function days(from: Instant, until: Instant): string[] {
  const found = [from.slice(0, 10)];
  const last = until.slice(0, 10);
  for (let day = toMillis(`${found[0]}T00:00:00Z`) + DAY; (found.at(-1) ?? last) < last; day += DAY)
    found.push(fromMillis(day).slice(0, 10));
  return found;
}

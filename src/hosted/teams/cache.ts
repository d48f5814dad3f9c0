// A cache of what the database answered, for two seconds; what it did not have is asked again, since another node may make it at any time.

const LIFETIME_MS = 2000;
/** Keys; a full cache is emptied as a whole, which costs no more than the questions after it. */
const MOST_ENTRIES = 10_000;

/** `find` is called once at a time for each key. A failure is not cached. */
export function makeCache<T>(monotonic: () => number, find: (key: string) => Promise<T | undefined>) {
  const cached = new Map<string, { until: number; value: Promise<T | undefined> }>();
  return {
    get(key: string): Promise<T | undefined> {
      const known = cached.get(key);
      if (known && known.until > monotonic()) return known.value;
      if (cached.size >= MOST_ENTRIES) cached.clear();
      const value = find(key);
      // The promise, and not its value: a crowd of requests with one token asks once.
      cached.set(key, { until: monotonic() + LIFETIME_MS, value });
      const drop = () => cached.get(key)?.value === value && cached.delete(key);
      value.then((found) => found === undefined && drop(), drop);
      return value;
    },
    invalidate: (key: string) => void cached.delete(key),
  };
}

// A cache of what the database returned, for two seconds. What the database did not have is not cached, because another
// node may add it at any time.

const LIFETIME_MS = 2000;
/** A full cache is emptied, which costs one query per key in use. */
const MAX_ENTRIES = 10_000;

interface CacheEntry<T> {
  until: number;
  /** The promise, and not its value, so that simultaneous requests share one query. */
  value: Promise<T | undefined>;
  latest: T | undefined;
}

/** `find` runs once at a time for each key. A failure is not cached. */
export function createCache<T>(monotonic: () => number, find: (key: string) => Promise<T | undefined>) {
  const entries = new Map<string, CacheEntry<T>>();
  return {
    get(key: string): Promise<T | undefined> {
      const known = entries.get(key);
      if (known && known.until > monotonic()) return known.value;
      if (entries.size >= MAX_ENTRIES) entries.clear();
      const entry = { until: monotonic() + LIFETIME_MS, value: find(key), latest: known?.latest };
      entries.set(key, entry);
      entry.value.then(
        (found) => {
          entry.latest = found;
          if (found === undefined && entries.get(key) === entry) entries.delete(key);
        },
        () => {
          entry.until = Number.NEGATIVE_INFINITY;
        },
      );
      return entry.value;
    },
    /** Returns what was found last, however long ago, without waiting. */
    readLatest: (key: string): T | undefined => entries.get(key)?.latest,
    invalidate: (key: string) => void entries.delete(key),
  };
}

// What the database answered is cached for a while; what it did not have is asked again, since it may have been made on another node.

const RETENTION_MS = 2000;
const MOST_RETAINED = 10_000;

/** `find` is called once at a time for each key. A failure is not remembered. */
export function remembered<T>(monotonic: () => number, find: (key: string) => Promise<T | undefined>) {
  const cached = new Map<string, { until: number; value: Promise<T | undefined> }>();
  return {
    get(key: string): Promise<T | undefined> {
      const known = cached.get(key);
      if (known && known.until > monotonic()) return known.value;
      if (cached.size >= MOST_RETAINED) cached.clear();
      const value = find(key);
      // The promise, and not its value: a crowd of requests with one token asks once.
      cached.set(key, { until: monotonic() + RETENTION_MS, value });
      const drop = () => cached.get(key)?.value === value && cached.delete(key);
      value.then((found) => found === undefined && drop(), drop);
      return value;
    },
    forget: (key: string) => void cached.delete(key),
  };
}

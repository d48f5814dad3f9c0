// What the database said is believed for a while; what it did not have is asked again, since it may have been made on another node.

const KEPT_MS = 2000;
const MOST_KEPT = 10_000;

export function remembered<T>(monotonic: () => number, find: (key: string) => Promise<T | undefined>) {
  const kept = new Map<string, { until: number; value: Promise<T | undefined> }>();
  return {
    get(key: string): Promise<T | undefined> {
      const known = kept.get(key);
      if (known && known.until > monotonic()) return known.value;
      if (kept.size >= MOST_KEPT) kept.clear();
      const value = find(key);
      kept.set(key, { until: monotonic() + KEPT_MS, value });
      const drop = () => kept.get(key)?.value === value && kept.delete(key);
      value.then((found) => found === undefined && drop(), drop);
      return value;
    },
    forget: (key: string) => void kept.delete(key),
  };
}

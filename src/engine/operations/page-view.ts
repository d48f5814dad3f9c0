// Caches pages. A page of the same records is the same object, frozen from its second time on, so that its JSON is cached
// too: clients that poll a list mostly find it unchanged. Used only for lists that show nothing but their records.

/** The number of cached pages. A page that is not cached costs no more than any page. */
const MAX_PAGES = 10;

interface PageView {
  list: string;
  next: string | undefined;
  records: readonly object[];
  page: object;
}

/** Cached pages by their first record. A record is never changed in place, so the same records give the same page. */
const cache = new Map<object, PageView>();

export function renderOnce<P extends object>({ list, next, records }: Omit<PageView, "page">, show: () => P): P {
  const [first] = records;
  if (!first) return show();
  const known = cache.get(first);
  if (known && known.list === list && known.next === next && isSame(known.records, records))
    return Object.freeze(known.page) as P;
  const page = show();
  cache.delete(first);
  cache.set(first, { list, next, records, page });
  for (const oldest of cache.keys()) if (cache.size > MAX_PAGES) cache.delete(oldest);
  return page;
}

const isSame = (some: readonly object[], others: readonly object[]): boolean =>
  some.length === others.length && some.every((record, index) => record === others[index]);

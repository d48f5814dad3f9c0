// Pages that were shown lately. A page of the same records is the same object, frozen from its second time on: its JSON is then kept,
// since those who ask a list again and again mostly find it unchanged. Only for lists that show nothing but their records.

/** How many are held. Finding one that is not held costs what any page costs. */
const MOST = 10;

interface PageView {
  list: string;
  next: string | undefined;
  records: readonly object[];
  page: object;
}

/** By the first record. A record is never changed in place, so the same ones are shown in the same way. */
const lately = new Map<object, PageView>();

export function renderOnce<P extends object>({ list, next, records }: Omit<PageView, "page">, show: () => P): P {
  const [first] = records;
  if (!first) return show();
  const known = lately.get(first);
  if (known && known.list === list && known.next === next && isSame(known.records, records))
    return Object.freeze(known.page) as P;
  const page = show();
  lately.delete(first);
  lately.set(first, { list, next, records, page });
  for (const oldest of lately.keys()) if (lately.size > MOST) lately.delete(oldest);
  return page;
}

const isSame = (some: readonly object[], others: readonly object[]): boolean =>
  some.length === others.length && some.every((record, index) => record === others[index]);

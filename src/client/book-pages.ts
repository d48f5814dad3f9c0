// Reads the entries of the books page by page, because a year of entries takes too much memory.
import type { Schemas } from "../contract/schemas.ts";

export type Entry = Schemas["BookEntry"];

const PAGE_SIZE = 500;

type ReadPage<Q> = (query: Q & { limit: number; cursor?: string }) => Promise<{ items: Entry[]; next?: string }>;

/** Yields the pages. `read` requests one page. */
export async function* readBookPages<Q extends object>(query: Q, read: ReadPage<Q>): AsyncGenerator<readonly Entry[]> {
  let cursor: string | undefined;
  do {
    const page = await read({ ...query, limit: PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) });
    yield page.items;
    cursor = page.next;
  } while (cursor !== undefined);
}

export async function collectEntries(pages: AsyncIterable<readonly Entry[]>): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const page of pages) entries.push(...page);
  return entries;
}

// All records of a collection, page by page up to a bound: what is added up or laid out has to be there as a whole.
import { control, dataOf, type Schemas } from "../api.ts";

const PAGE = 500;
const MOST_PAGES = 20;

export interface All {
  items: readonly Schemas["StoredRecord"][];
  /** Otherwise these are the newest. */
  isAll: boolean;
}

export async function allOf(collection: Schemas["CollectionName"]): Promise<All> {
  const items: Schemas["StoredRecord"][] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const query = { limit: PAGE, ...(cursor ? { cursor } : {}) };
    const params = { path: { collection }, query };
    const answer = await dataOf(control.peek().GET("/_sandbox/records/{collection}", { params }));
    items.push(...answer.items);
    cursor = answer.next;
    if (!cursor) return { items, isAll: true };
  }
  return { items, isAll: false };
}

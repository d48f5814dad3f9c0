// The collections of records, with the fields that name their records. They are the same in every world, so they are
// loaded once.
import { signal } from "@preact/signals";
import { control, type Schemas, unwrap } from "../api.ts";

type Collection = Schemas["CollectionList"]["items"][number];

const collections = signal<readonly Collection[]>([]);
let loading: Promise<void> | undefined;

/** Loads the collections once. A failed load can be repeated. */
export function loadCollections(): Promise<void> {
  loading ??= unwrap(control.peek().GET("/_sandbox/records")).then(
    ({ items }) => {
      collections.value = items;
    },
    (reason) => {
      loading = undefined;
      throw reason;
    },
  );
  return loading;
}

/** Returns the collection of the records that a field names, or undefined while the collections are not loaded. */
export const findCollectionByMember = (member: string): string | undefined =>
  collections.value.find(({ named_by }) => named_by.includes(member))?.collection;

// The kinds of record as the sandbox lists them: which members name one. They are the same in every world, and asked for once.
import { signal } from "@preact/signals";
import { control, type Schemas, unwrap } from "../api.ts";

type Collection = Schemas["CollectionList"]["items"][number];

const collections = signal<readonly Collection[]>([]);
let loading: Promise<void> | undefined;

/** Asked anew after a failure. */
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

/** The collection of which a member of an input names a record; undefined before it is known. */
export const findCollectionByMember = (member: string): string | undefined =>
  collections.value.find(({ named_by }) => named_by.includes(member))?.collection;

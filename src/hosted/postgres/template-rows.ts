// The rows of a template, and what a world has that differs from them.
import { SerializedRecord, type Stored, textOf } from "../../engine/world/state/serialized-record.ts";
import type { Change } from "../../engine/world/store/log-records.ts";
import { lineOf, type StoredRows } from "./packed-rows.ts";

export interface Template {
  hash: Buffer;
  key: string;
  rows: Map<string, Change>;
  bytes: number;
}

export const placeOf = (collection: string, id: string): string => `${collection}\t${id}`;

/** The lines that make `rows` of the template. Rows that are the same are one object afterwards, which makes the next comparison short. */
export function* differences(
  { rows: shared }: Template,
  rows: Iterable<readonly [string, string, Stored | null]>,
): Generator<string> {
  const seen = new Set<string>();
  for (const [collection, id, row] of rows) {
    if (!row) continue;
    const place = placeOf(collection, id);
    const known = shared.get(place)?.[2];
    if (known) seen.add(place);
    if (known === row) continue;
    const text = textOf(row);
    if (!known || text !== textOf(known)) yield `[${JSON.stringify(collection)},${JSON.stringify(id)},${text}]`;
    else if (!(row instanceof SerializedRecord)) shared.set(place, [collection, id, row]);
  }
  if (seen.size === shared.size) return;
  for (const [place, [collection, id]] of shared) if (!seen.has(place)) yield lineOf([collection, id, null]);
}

/** The same for a world as the state has it. */
export function* flat(collections: StoredRows): Generator<readonly [string, string, Stored]> {
  for (const [collection, rows] of collections) for (const row of rows) yield [collection, row.id, row];
}

/** What determines how a world began. */
export function originOf(rows: readonly Change[]): string | undefined {
  const identity = rows.find(([collection]) => collection === "identity")?.[2] as
    | { fixture?: unknown; made_of?: unknown; seed?: unknown; assumptions?: unknown }
    | null
    | undefined;
  return identity
    ? JSON.stringify([identity.fixture, identity.made_of, identity.seed, identity.assumptions])
    : undefined;
}

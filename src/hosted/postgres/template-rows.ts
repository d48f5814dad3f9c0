// The rows of a template, and what a world has that differs from them.

import type { Row } from "../../engine/log/entry.ts";
import type { RowChange } from "../../engine/world/state/commit.ts";
import { lineWith, type StoredRows } from "./packed-rows.ts";

/** `rows` by `keyOf`; `bytes` is an estimate of what they take in memory. */
export interface Template {
  hash: Buffer;
  key: string;
  rows: Map<string, RowChange>;
  bytes: number;
}

export const keyOf = (collection: string, id: string): string => `${collection}\t${id}`;

/** The lines that make `rows` of the template, and undefined for each row that needs none. Rows that are the same are one object afterwards, which makes the next comparison short. */
export function* differences({ rows: shared }: Template, rows: Iterable<RowChange>): Generator<string | undefined> {
  const seen = new Set<string>();
  for (const [collection, id, row] of rows) {
    // A step without a line, so that the caller can make a pause between any two rows.
    yield;
    if (!row) continue;
    const key = keyOf(collection, id);
    const known = shared.get(key)?.[2];
    if (known) seen.add(key);
    // Worlds share rows with their template in memory, so most are equal by identity.
    if (known === row) continue;
    const text = JSON.stringify(row);
    if (!known || text !== JSON.stringify(known)) yield lineWith(collection, id, text);
    else shared.set(key, [collection, id, row]);
  }
  if (seen.size === shared.size) return;
  for (const [key, [collection, id]] of shared) yield seen.has(key) ? undefined : lineWith(collection, id, "null");
}

/** The same for a world as the state has it. */
export function* flat(collections: StoredRows): Generator<readonly [string, string, Row]> {
  for (const [collection, rows] of collections) for (const row of rows) yield [collection, row.id, row];
}

/** How a world began, as its identity says. */
interface Began {
  fixture?: string;
  made_of?: string;
  seed?: string;
  assumptions?: object;
  origin?: { fixture?: string; clock?: string };
}

export function identityIn(rows: readonly RowChange[]): Began | undefined {
  for (const [collection, , row] of rows) if (collection === "identity") return (row as Began | null) ?? undefined;
  return undefined;
}

/** What determines how a world began. Undefined for a world without an identity, which then gets no template. */
export function originOf(rows: readonly RowChange[]): string | undefined {
  const identity = identityIn(rows);
  return identity
    ? JSON.stringify([identity.fixture, identity.made_of, identity.seed, identity.assumptions])
    : undefined;
}

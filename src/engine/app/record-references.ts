// Whether the records exist that a record can't be without.
import { type CollectionName, collectionNamed, recordKinds } from "../domain/kernel/record-kinds.ts";
import type { Name } from "../world/state/schema.ts";

interface Dangling {
  member: string;
  id: string;
  /** The collection in which nothing has this id. */
  missing: Name;
}

/** The members of a record that `danglingIn` reads. */
export function referringMembers(collection: Name): readonly string[] {
  const needs = recordKinds[collection as CollectionName]?.needs ?? [];
  return [...new Set(needs.map((path) => path.split(".", 1)[0] as string))];
}

/**
 * The first member of a record that names a missing record; undefined when none does. What a record needs is in the
 * table of record kinds.
 */
export function danglingIn(
  collection: Name,
  row: object,
  has: (collection: Name, id: string) => boolean,
): Dangling | undefined {
  for (const path of recordKinds[collection as CollectionName]?.needs ?? []) {
    const steps = path.split(".");
    const missing = collectionNamed(steps, row);
    for (const { member, id } of valuesAt(row, steps, ""))
      if (missing && !has(missing, id)) return { member, id, missing };
  }
  return undefined;
}

function* valuesAt(value: unknown, path: readonly string[], member: string): Generator<{ member: string; id: string }> {
  const [step, ...rest] = path;
  if (value === undefined) return;
  if (step === undefined) yield { member: member.slice(1), id: value as string };
  else if (step !== "*") yield* valuesAt((value as Record<string, unknown>)[step], rest, `${member}.${step}`);
  else for (const [index, each] of (value as unknown[]).entries()) yield* valuesAt(each, rest, `${member}.${index}`);
}

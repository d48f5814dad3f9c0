// The records that a record can't be without, as the table of record kinds has them.
import { collectionNamed, recordKinds } from "../domain/kernel/record-kinds.ts";
import type { Name } from "../world/state/schema.ts";

/** `member` is where the reference stands: `items.0.variant_id`. */
interface Needed {
  member: string;
  collection: Name;
  id: string;
}

const pathsOf = Object.fromEntries(
  Object.entries(recordKinds).map(([name, { needs = [] }]) => [name, needs.map((path) => path.split("."))]),
);

export function* neededBy(name: Name, row: object): Generator<Needed> {
  for (const path of pathsOf[name] ?? []) {
    const collection = collectionNamed(path, row);
    if (collection) for (const { member, id } of valuesAt(row, path, "")) yield { member, collection, id };
  }
}

function* valuesAt(value: unknown, path: readonly string[], member: string): Generator<{ member: string; id: string }> {
  const [step, ...rest] = path;
  if (value === undefined) return;
  if (step === undefined) yield { member: member.slice(1), id: value as string };
  else if (step !== "*") yield* valuesAt((value as Record<string, unknown>)[step], rest, `${member}.${step}`);
  else for (const [index, each] of (value as unknown[]).entries()) yield* valuesAt(each, rest, `${member}.${index}`);
}

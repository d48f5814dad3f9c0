// The keys of a new world: they are its own, whatever its records were copied from.
import { SCOPES } from "../domain/company/key.ts";
import type { Key } from "../domain/kernel/records.ts";
import type { Collections } from "../world/state/schema.ts";

/** Where a fixture names none, one with every scope. */
export function renewKeys(collections: Collections, newCredentials: () => { id: string; secret: string }): void {
  const old = [...collections.keys.all()];
  for (const key of old) collections.keys.set(key.id, null);
  const inputs: Pick<Key, "name" | "scopes">[] =
    old.length > 0 ? old : [{ name: "Sandbox integration", scopes: [...SCOPES] }];
  for (const { name, scopes } of inputs) {
    const key = { ...newCredentials(), name, scopes, created_at: collections.clock.get("clock")?.at ?? "" };
    collections.keys.set(key.id, key);
  }
}

// Integration keys and their scopes. Heading "Authentication" 2, 6 and 7: at least one permission, new scopes never by themselves;
// assumption: scopes.
import type { Desk } from "./desk.ts";
import type { Key } from "./records.ts";
import { refuse } from "./refusal.ts";
import { changesNothing } from "./unchanged.ts";

export const SCOPES = [
  "openid",
  "booking.read",
  "booking.write",
  "event.read",
  "experience.read",
  "order.read",
  "gift-card.read",
  "gift-card.write",
  "location.read",
  "marketing.read",
  "accounting.read",
  "accounting.write",
  "webhook.read",
  "webhook.write",
] as const;

/** Id and secret come from the system's random source, never from the seed. */
export type KeyWish = Pick<Key, "id" | "secret" | "name" | "scopes">;

export function createKey(desk: Desk, wish: KeyWish): Key {
  checkScopes(wish.scopes);
  const key = { ...wish, scopes: [...new Set(wish.scopes)], created_at: desk.now };
  desk.keys.put(key);
  desk.tell("key.created", key.id);
  return key;
}

export function updateKey(desk: Desk, key: Key, scopes: string[]): Key {
  mustBeGood(key);
  checkScopes(scopes);
  const updated = { ...key, scopes: [...new Set(scopes)] };
  if (changesNothing(desk, key, updated)) return key;
  desk.keys.put(updated);
  desk.tell("key.updated", key.id);
  return updated;
}

/** Its tokens answer 401 from now on. */
export function revokeKey(desk: Desk, key: Key): Key {
  mustBeGood(key);
  const revoked = { ...key, revoked_at: desk.now };
  desk.keys.put(revoked);
  for (const token of desk.tokens.where("client", key.id)) desk.tokens.remove(token.id);
  desk.tell("key.revoked", key.id);
  return revoked;
}

function mustBeGood(key: Key): void {
  if (key.revoked_at) refuse("KEY_REVOKED", { client_id: key.id, at: key.revoked_at });
}

function checkScopes(scopes: readonly string[]): void {
  const known: readonly string[] = SCOPES;
  const unknown = scopes.findIndex((scope) => !known.includes(scope));
  if (unknown >= 0)
    refuse("SCOPE_UNKNOWN", { place: `body.scopes.${unknown}`, scope: scopes[unknown], known: known.join(", ") });
}

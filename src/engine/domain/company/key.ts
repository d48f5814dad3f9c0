// Integration keys and their scopes. Heading "Authentication" 2, 6 and 7: at least one permission, new scopes never by themselves;
// assumption: scopes.

import { reject } from "../kernel/domain-error.ts";
import type { Key } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { isUnchanged } from "../kernel/unchanged.ts";

/** Every scope of a key, in the order of lists. */
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
type KeyInput = Pick<Key, "id" | "secret" | "name" | "scopes">;

/** Rejects with SCOPE_UNKNOWN. The secret is stored in full, because the sandbox shows it again. */
export function createKey(tx: Transaction, input: KeyInput): Key {
  checkScopes(input.scopes);
  // The position is the order of creation. Duplicate scopes are dropped.
  const positions = Array.from(tx.keys.walk("created"), ({ position }) => position);
  const position = Math.max(0, ...positions) + 1;
  const key = { ...input, scopes: [...new Set(input.scopes)], created_at: tx.now, position };
  tx.keys.put(key);
  tx.emit("key.created", key.id);
  return key;
}

/** Sorts keys in the order of their creation; several may be created at one instant of the world's clock. */
export const sortKeys = (keys: Iterable<Key>): Key[] => [...keys].sort((a, b) => a.position - b.position);

/** Replaces the scopes. Tokens that were issued before keep theirs until they expire. */
export function updateKey(tx: Transaction, key: Key, scopes: string[]): Key {
  mustNotBeRevoked(key);
  checkScopes(scopes);
  const updated = { ...key, scopes: [...new Set(scopes)] };
  if (isUnchanged(tx, key, updated)) return key;
  tx.keys.put(updated);
  tx.emit("key.updated", key.id);
  return updated;
}

/** Revokes a key. Requests with its tokens get a 401 response from now on. */
export function revokeKey(tx: Transaction, key: Key): Key {
  mustNotBeRevoked(key);
  const revoked = { ...key, revoked_at: tx.now };
  tx.keys.put(revoked);
  // Tokens are deleted, not only marked, so that no check can miss it.
  for (const token of tx.tokens.where("client", key.id)) tx.tokens.remove(token.id);
  tx.emit("key.revoked", key.id);
  return revoked;
}

function mustNotBeRevoked(key: Key): void {
  if (key.revoked_at) reject("KEY_REVOKED", { client_id: key.id, at: key.revoked_at });
}

function checkScopes(scopes: readonly string[]): void {
  const known: readonly string[] = SCOPES;
  const unknown = scopes.findIndex((scope) => !known.includes(scope));
  if (unknown >= 0)
    reject("SCOPE_UNKNOWN", { path: `body.scopes.${unknown}`, scope: scopes[unknown], known: known.join(", ") });
}

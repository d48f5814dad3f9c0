// Acts on integration keys. Heading "Authentication" 2 and 6; assumption: no-token.
import { createKey, revokeKey, updateKey } from "../domain/company/key.ts";
import { loadKey } from "../domain/kernel/lookups.ts";
import { act } from "./act.ts";
import { toKeyResult } from "./results.ts";

export const keyActs = [
  // No other response shows the secret.
  act("createKey", (tx, { name, scopes }, { newCredentials }) => {
    const { id, secret, ...key } = createKey(tx, { ...newCredentials(), name, scopes });
    return { client_id: id, client_secret: secret, name: key.name, scopes: key.scopes };
  }),

  // Sets the scopes; a new scope of the API is never granted by itself.
  act("updateKey", (tx, { client_id, scopes }) => toKeyResult(updateKey(tx, loadKey(tx, client_id), scopes))),

  // Requests with its tokens get a 401 response from now on.
  act("revokeKey", (tx, { client_id }) => toKeyResult(revokeKey(tx, loadKey(tx, client_id)))),
];

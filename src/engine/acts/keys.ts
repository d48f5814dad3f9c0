// Acts on integration keys. Heading "Authentication" 2 and 6; assumption: no-token.
import { createKey, revokeKey, updateKey } from "../domain/company/key.ts";
import { loadKey } from "../domain/kernel/lookups.ts";
import { act } from "./act.ts";
import { toKeyResult } from "./results.ts";

export const keyActs = [
  // The only response that shows the secret.
  act("createKey", (tx, { name, scopes }, { newCredentials }) => {
    const { id, secret, ...key } = createKey(tx, { ...newCredentials(), name, scopes });
    return { client_id: id, client_secret: secret, name: key.name, scopes: key.scopes };
  }),

  // Sets the scopes; a new scope of the API is never granted by itself.
  act("updateKey", (tx, { client_id, scopes }) => toKeyResult(updateKey(tx, loadKey(tx, client_id), scopes))),

  // Requests with its tokens answer 401 from then on.
  act("revokeKey", (tx, { client_id }) => toKeyResult(revokeKey(tx, loadKey(tx, client_id)))),
];

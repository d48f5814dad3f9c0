// A key is withdrawn; its tokens answer 401 from then on. Assumption: no-token.
import { revokeKey as revoke } from "../domain/key.ts";
import { found } from "../domain/refusal.ts";
import { act } from "./act.ts";

export const revokeKey = act("revokeKey", (desk, { client_id }) => {
  const key = revoke(desk, found(desk.keys.get(client_id), "key", client_id));
  return { client_id: key.id, name: key.name, scopes: key.scopes, revoked_at: key.revoked_at };
});

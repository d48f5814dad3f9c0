// The scopes of a key are set by hand; a new scope is never granted by itself. Heading "Authentication" 6.
import { updateKey as update } from "../domain/key.ts";
import { found } from "../domain/refusal.ts";
import { act } from "./act.ts";

export const updateKey = act("updateKey", (desk, { client_id, scopes }) => {
  const key = update(desk, found(desk.keys.get(client_id), "key", client_id), scopes);
  return { client_id: key.id, name: key.name, scopes: key.scopes };
});

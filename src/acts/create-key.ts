// An integration key is made; its secret is told here and never again. Heading "Authentication" 2.
import { createKey as create } from "../domain/key.ts";
import { act } from "./act.ts";

export const createKey = act("createKey", (desk, { name, scopes }, { newCredentials }) => {
  const { id, secret, ...key } = create(desk, { ...newCredentials(), name, scopes });
  return { client_id: id, client_secret: secret, name: key.name, scopes: key.scopes };
});

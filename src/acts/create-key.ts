// An integration key is made; its secret is told here and never again. Heading "Authentication" 2.
import { createKey as create } from "../domain/company/key.ts";
import { act } from "./act.ts";

export const createKey = act("createKey", (tx, { name, scopes }, { newCredentials }) => {
  const { id, secret, ...key } = create(tx, { ...newCredentials(), name, scopes });
  return { client_id: id, client_secret: secret, name: key.name, scopes: key.scopes };
});

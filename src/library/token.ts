// Issues a bearer token of a world's key through the control API, so that the log has no token request that the program did not send.
import type { Control } from "../client/control.ts";
import type { Schemas } from "../contract/schemas.ts";
import { SettingError, showValue } from "../engine/settings.ts";
import { unwrap } from "./ask.ts";

type TokenInput = Schemas["TokenInput"];

/** Throws a SettingError unless `scopes` is a list with at least one scope, and a SandboxError for a scope that the key does not have. */
export async function issueToken(control: Control, clientId: string, scopes?: readonly string[]): Promise<string> {
  // An empty list would request a token with all scopes.
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.length > 0))
    throw new SettingError(
      `scopes is ${showValue(scopes)}, which is not a list of scopes. Name at least one, or leave it out for all scopes of the key.`,
    );
  const body: TokenInput = { client_id: clientId, ...(scopes === undefined ? {} : { scopes: [...scopes] }) };
  return (await unwrap(control.POST("/_sandbox/token", { body }))).access_token;
}

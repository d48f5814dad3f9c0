// A bearer token of a world's key, from the control API: what a test asks for itself says nothing of how its program gets tokens.
import type { Control } from "../client/control.ts";
import type { Schemas } from "../contract/schemas.ts";
import { SettingError, showValue } from "../engine/settings.ts";
import { unwrap } from "./ask.ts";

type TokenInput = Schemas["TokenInput"];

/** Throws a SettingError for what is not a list of scopes, and a SandboxError for a scope that the key was not granted. */
export async function issueToken(control: Control, clientId: string, scopes?: readonly string[]): Promise<string> {
  // None at all would ask for a token without a scope, which is one with every scope.
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.length > 0))
    throw new SettingError(
      `scopes is ${showValue(scopes)}, which is not a list of scopes. Name at least one, or leave it out for all that the key has.`,
    );
  const body: TokenInput = { client_id: clientId, ...(scopes === undefined ? {} : { scopes: [...scopes] }) };
  return (await unwrap(control.POST("/_sandbox/token", { body }))).access_token;
}

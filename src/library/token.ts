// A bearer token of a world's key.
import { SandboxError, type SandboxErrorCode } from "../client/sandbox-error.ts";
import { valueText } from "../engine/setting-values.ts";
import { SettingError } from "../engine/settings.ts";
import { UnreachableError } from "./errors.ts";
import type { Origin } from "./origin.ts";
import type { Credentials } from "./types.ts";

interface Answered {
  access_token: string;
  error?: SandboxErrorCode;
  error_description?: string;
}

export async function tokenFor(
  { url, audience = url, send }: Origin,
  { clientId, clientSecret }: Credentials,
  scopes?: readonly string[],
): Promise<string> {
  // None at all would ask for a token without a scope, which is one with every scope.
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.length > 0))
    throw new SettingError(
      `scopes is ${valueText(scopes)}, which is not a list of scopes. Name at least one, or leave it out for all that the key has.`,
    );
  const form = { grant_type: "client_credentials", audience, client_id: clientId, client_secret: clientSecret };
  const body = new URLSearchParams(scopes ? { ...form, scope: scopes.join(" ") } : form);
  const address = `${url}/oauth2/token`;
  const sent = send(new Request(address, { method: "POST", body }));
  const [answer, value] = await sent
    .then(async (each) => [each, (await each.json()) as Answered] as const)
    .catch(lost(address));
  if (!answer.ok) throw new SandboxError(answer.status, value.error, value.error_description ?? "");
  return value.access_token;
}

/** A fault of the token endpoint can break its answer, and `fetch` says only that it failed. */
const lost =
  (address: string) =>
  (reason: Error & { cause?: { code?: string } }): never => {
    if (!(reason instanceof TypeError || reason instanceof SyntaxError)) throw reason;
    const why = reason.cause?.code ?? reason.message;
    throw new UnreachableError(
      `No whole answer came from ${address} (${why}). Ask for the token again; where a fault of createToken is armed, faults.clear() ends it.`,
      { cause: reason },
    );
  };

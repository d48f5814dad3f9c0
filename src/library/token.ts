// A bearer token of a world's key.
import { SandboxError, type SandboxErrorCode } from "../client/sandbox-error.ts";
import type { Origin } from "./origin.ts";
import type { Credentials } from "./types.ts";

export async function tokenFor(
  { url, audience = url, send }: Origin,
  { clientId, clientSecret }: Credentials,
  scopes?: readonly string[],
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const form = { grant_type: "client_credentials", audience, client_id: clientId, client_secret: clientSecret };
  const body = new URLSearchParams(scopes ? { ...form, scope: scopes.join(" ") } : form);
  const answer = await send(new Request(`${url}/oauth2/token`, { method: "POST", body, headers }));
  const value = (await answer.json()) as { access_token: string; error?: SandboxErrorCode; error_description?: string };
  if (!answer.ok) throw new SandboxError(answer.status, value.error, value.error_description ?? "");
  return value.access_token;
}

// Reads from the API description of a sandbox which scopes each operation needs, and which operations need a language.
import { type Schemas, unwrap } from "../client/control.ts";
import { type Json, operationsOf, type Parameter } from "../contract/document/document.ts";
import { sendRequest } from "../platform/send-request.ts";
import type { RunContext } from "./run-context.ts";

export interface Service {
  /** The scopes by operationId. */
  scopesOf: ReadonlyMap<string, readonly string[]>;
  /** The operations that require Accept-Language. */
  needsLanguage: ReadonlySet<string>;
}

export type SandboxDescription = Schemas["Verdict"]["sandbox"];

/** Reads the description once, because it does not change between runs. */
export async function readService({
  control,
  connection,
}: Pick<RunContext, "control" | "connection">): Promise<{ service: Service; about: SandboxDescription }> {
  const { version, fixture, flips, url } = await unwrap(control.GET("/_sandbox"));
  const { items } = await unwrap(control.GET("/_sandbox/assumptions"));
  const text = await (await sendRequest(`${connection.url}/openapi.json`)).text();
  const document = JSON.parse(text) as Json;
  // The address differs between runs, so it is removed before hashing.
  const specification = await digest(text.replaceAll(connection.url, "").replaceAll(url, ""));
  const register = await digest(JSON.stringify(items));
  return { service: toService(document), about: { version, fixture, flips, specification, register } };
}

export function toService(document: Json): Service {
  const operations = operationsOf(document);
  const isLanguage = ({ name, required }: Parameter) => required && name.toLowerCase() === "accept-language";
  return {
    scopesOf: new Map(operations.map(({ id, scopes = [] }) => [id, scopes])),
    needsLanguage: new Set(operations.filter(({ parameters }) => parameters.some(isLanguage)).map(({ id }) => id)),
  };
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Buffer.from(bytes).toString("hex");
}

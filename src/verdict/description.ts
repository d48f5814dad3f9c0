// What the service's description says of its operations, as a sandbox serves it: which scopes each needs, and which need a language.
import { type Schemas, unwrap } from "../client/control.ts";
import { type Json, operationsOf, type Parameter } from "../contract/document/document.ts";
import { sendRequest } from "../platform/send-request.ts";
import type { RunContext } from "./run-context.ts";

export interface Service {
  /** By operationId. */
  scopesOf: ReadonlyMap<string, readonly string[]>;
  /** Those whose Accept-Language is required. */
  needsLanguage: ReadonlySet<string>;
}

/** What it was judged with. */
export type About = Schemas["Verdict"]["sandbox"];

/** Asks the sandbox once; nothing of it changes between runs. */
export async function serviceIn({
  control,
  connection,
}: Pick<RunContext, "control" | "connection">): Promise<{ service: Service; about: About }> {
  const { version, fixture, flips, url } = await unwrap(control.GET("/_sandbox"));
  const { items } = await unwrap(control.GET("/_sandbox/assumptions"));
  const text = await (await sendRequest(`${connection.url}/openapi.json`)).text();
  const document = JSON.parse(text) as Json;
  // The address differs from run to run, and is no part of what was described.
  const specification = await digestOf(text.replaceAll(connection.url, "").replaceAll(url, ""));
  const register = await digestOf(JSON.stringify(items));
  return { service: serviceOf(document), about: { version, fixture, flips, specification, register } };
}

export function serviceOf(document: Json): Service {
  const operations = operationsOf(document);
  const isLanguage = ({ name, required }: Parameter) => required && name.toLowerCase() === "accept-language";
  return {
    scopesOf: new Map(operations.map(({ id, scopes = [] }) => [id, scopes])),
    needsLanguage: new Set(operations.filter(({ parameters }) => parameters.some(isLanguage)).map(({ id }) => id)),
  };
}

async function digestOf(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Buffer.from(bytes).toString("hex");
}

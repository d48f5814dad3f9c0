// What the service's description says of its operations, as a sandbox serves it: which scopes each needs, and which need a language.
import { dataOf, type Schemas } from "../client/control.ts";
import type { RunContext } from "./run-context.ts";

export interface Service {
  /** By operationId. */
  scopesOf: ReadonlyMap<string, readonly string[]>;
  /** Those whose Accept-Language is required. */
  needsLanguage: ReadonlySet<string>;
}

/** What it was judged with. */
export type About = Schemas["Verdict"]["sandbox"];

interface Operation {
  operationId: string;
  security?: readonly Readonly<Record<string, readonly string[]>>[];
  parameters?: readonly { $ref?: string; name?: string; required?: boolean }[];
}

interface Document {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components?: { parameters?: Readonly<Record<string, { name?: string; required?: boolean }>> };
}

/** Asks the sandbox once; nothing of it changes between runs. */
export async function serviceIn({
  control,
  connection,
}: Pick<RunContext, "control" | "connection">): Promise<{ service: Service; about: About }> {
  const { version, fixture, flips, url } = await dataOf(control.GET("/_sandbox"));
  const { items } = await dataOf(control.GET("/_sandbox/assumptions"));
  const text = await (await fetch(`${connection.url}/openapi.json`)).text();
  const document = JSON.parse(text) as Document;
  // The address differs from run to run, and is no part of what was described.
  const specification = await digestOf(text.replaceAll(connection.url, "").replaceAll(url, ""));
  const register = await digestOf(JSON.stringify(items));
  return { service: serviceOf(document), about: { version, fixture, flips, specification, register } };
}

function serviceOf({ paths, components }: Document): Service {
  const operations = Object.values(paths).flatMap((path) =>
    Object.values(path).filter(({ operationId }) => operationId),
  );
  const resolved = (parameter: { $ref?: string; name?: string; required?: boolean }) =>
    parameter.$ref ? (components?.parameters?.[parameter.$ref.split("/").at(-1) ?? ""] ?? {}) : parameter;
  const isLanguage = ({ name, required }: { name?: string; required?: boolean }) =>
    required === true && name?.toLowerCase() === "accept-language";
  return {
    scopesOf: new Map(
      operations.map(({ operationId, security = [] }) => [operationId, security.flatMap((each) => each.oauth2 ?? [])]),
    ),
    needsLanguage: new Set(
      operations
        .filter(({ parameters = [] }) => parameters.map(resolved).some(isLanguage))
        .map((each) => each.operationId),
    ),
  };
}

async function digestOf(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Buffer.from(bytes).toString("hex");
}

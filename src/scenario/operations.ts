// What a sandbox says it can do: operations from its own OpenAPI document, acts from its control surface. And where the members
// of `with` go: by the names of the document into path, query and header, the rest into the body.
import { ask, type Control, must } from "./client.ts";
import { isObject } from "./match.ts";
import type { Json, JsonObject, Target } from "./scenario.ts";

export interface Operation {
  id: string;
  method: string;
  path: string;
  parameters: { name: string; in: string; required: boolean }[];
  body: "json" | "form" | undefined;
  bodyRequired: boolean;
}

/** The names that a sandbox knows. */
export interface Known {
  operations: ReadonlyMap<string, Operation>;
  acts: readonly string[];
  /** A sandbox of an earlier version does not say. */
  fixtures?: readonly string[];
}

export async function learn(target: Target, control: Control, { fixtures }: JsonObject = {}): Promise<Known> {
  const document = await must(
    ask({ method: "GET", url: `${target.url}/openapi.json` }),
    `GET ${target.url}/openapi.json`,
  );
  const { items } = await must(control("GET", "/acts"), "GET /_sandbox/acts");
  const acts = (items as { act: string }[]).map(({ act }) => act);
  return { operations: operationsOf(document), acts, ...(fixtures ? { fixtures: fixtures as string[] } : {}) };
}

const METHODS = ["get", "post", "put", "patch", "delete"];

export function operationsOf(document: JsonObject): Map<string, Operation> {
  const found = new Map<string, Operation>();
  for (const [path, item] of Object.entries(document.paths as JsonObject)) {
    for (const method of METHODS) {
      const operation = (item as JsonObject)[method];
      if (!isObject(operation) || typeof operation.operationId !== "string") continue;
      const shared = [(item as JsonObject).parameters, operation.parameters].flatMap((list) => (list ?? []) as Json[]);
      const parameters = shared.map((each) => plain(each, document) as unknown as Operation["parameters"][number]);
      const body = plain(operation.requestBody ?? null, document);
      const types = isObject(body) ? Object.keys(body.content as JsonObject) : [];
      found.set(operation.operationId, {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        parameters: parameters.map(({ name, in: place, required }) => ({
          name,
          in: place,
          required: required === true,
        })),
        body: types.length === 0 ? undefined : types.includes("application/json") ? "json" : "form",
        bodyRequired: isObject(body) && body.required === true,
      });
    }
  }
  return found;
}

/** What a local reference stands for. */
function plain(value: Json, document: JsonObject): Json {
  if (!isObject(value) || typeof value.$ref !== "string") return value;
  const way = value.$ref.slice(2).split("/");
  return way.reduce<Json>((at, name) => (at as JsonObject)[name.replaceAll("~1", "/")] ?? null, document);
}

export interface Placed {
  path: string;
  headers: Record<string, string>;
  /** Undefined: no body is sent. */
  body: JsonObject | undefined;
}

/** Where a member of `with` goes; without a body, what the document does not name is a query parameter. */
export function wayOf(operation: Operation, name: string): string {
  const parameter = operation.parameters.find((each) => sameName(each, name));
  return parameter?.in ?? (operation.body ? "body" : "query");
}

function sameName(parameter: { name: string; in: string }, name: string): boolean {
  return parameter.name === name || (parameter.in === "header" && parameter.name.toLowerCase() === name.toLowerCase());
}

export function place(operation: Operation, members: JsonObject): Placed {
  let path = operation.path;
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  const body: JsonObject = {};
  for (const [name, value] of Object.entries(members)) {
    const way = wayOf(operation, name);
    if (way === "body") body[name] = value;
    else if (value === null) continue;
    else if (way === "path") path = path.replace(`{${name}}`, encodeURIComponent(textOf(value)));
    else if (way === "header") headers[name.toLowerCase()] = textOf(value);
    else for (const each of Array.isArray(value) ? value : [value]) query.append(name, textOf(each));
  }
  const sends = operation.body !== undefined && (operation.bodyRequired || Object.keys(body).length > 0);
  const search = query.toString();
  return { path: search === "" ? path : `${path}?${search}`, headers, body: sends ? body : undefined };
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

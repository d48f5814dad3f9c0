// A logged request once more, with members set by path, as if its client had sent it so.

import controlOperations from "../../contract/generated/control-operations.json" with { type: "json" };
import operations from "../../contract/generated/operations.json" with { type: "json" };
import { putAt, removeAt } from "../../platform/member-paths.ts";
import { FORM_TYPE } from "./body.ts";
import { type Exchange, header, type Route, type Routed } from "./exchange.ts";
import { bodyTypeOf } from "./parameters.ts";
import type { JsonMembers } from "./patched.ts";
import { createRoutes } from "./routes.ts";

const routes = new Map<string, Route>(
  [...createRoutes(operations, false), ...createRoutes(controlOperations, true)].map((route) => [route.id, route]),
);

/** The route as the specification has it, whatever a world assumes. */
const plainRoute = (id: string | undefined): Route | undefined => routes.get(id ?? "");

/** The request with these members; null takes one away. */
export function changedRequest(exchange: Routed, set: Readonly<JsonMembers>): Routed {
  const route = plainRoute(exchange.route.id) ?? exchange.route;
  const of = (section: string) =>
    Object.entries(set).filter(([path]) => path === section || path.startsWith(`${section}.`));
  const [body, query, path, headers] = ["body", "query", "path", "header"].map(of) as [
    MemberChange[],
    MemberChange[],
    MemberChange[],
    MemberChange[],
  ];
  const params = { ...exchange.params, ...Object.fromEntries(path.map(([at, value]) => [at.slice(5), String(value)])) };
  // The logged one stays as it was.
  const changedQuery = structuredClone(exchange.query);
  for (const [at, value] of query)
    put(
      changedQuery,
      at.split(".").slice(1),
      Array.isArray(value) ? value.join(",") : value === null ? null : String(value),
    );
  // Node lowers the names of headers.
  const sent: JsonMembers = { ...exchange.headers };
  for (const [at, value] of headers) put(sent, [at.slice(7).toLowerCase()], value);
  const address =
    path.length === 0
      ? exchange.path
      : route.operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  // The very bytes, where the body stays: they may be broken on purpose.
  const raw = body.length === 0 ? exchange.raw : bodyWith(exchange, body);
  return {
    id: exchange.id,
    method: exchange.method,
    target: address,
    path: address,
    query: changedQuery,
    headers: sent as Exchange["headers"],
    raw,
    unreadable: body.length === 0 ? exchange.unreadable : undefined,
    repeatedHeader: exchange.repeatedHeader,
    localAddress: exchange.localAddress,
    httpVersion: exchange.httpVersion,
    mount: exchange.mount,
    // It is checked and never sent, so no time is taken.
    started: 0,
    at: exchange.at,
    route,
    params,
    parameters: { path: {}, query: {} },
    violations: [],
    facts: [],
  };
}

type MemberChange = [path: string, value: unknown];

function bodyWith(exchange: Routed, changes: readonly MemberChange[]): Buffer {
  const body = { body: bodyOf(exchange) };
  for (const [at, value] of changes) put(body, at.split("."), value);
  // As its operation takes it.
  const text = bodyTypeOf(exchange.route.operation) === FORM_TYPE ? formOf(body.body) : JSON.stringify(body.body);
  return Buffer.from(text ?? "");
}

function formOf(members: unknown): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries((members ?? {}) as JsonMembers)) form.set(name, String(value));
  return form.toString();
}

/** What was sent, as JSON or as a form; undefined when it can't be read. */
export function bodyOf({ raw, route, headers }: Pick<Exchange, "raw" | "route" | "headers">): unknown {
  if (!raw || raw.length === 0) return undefined;
  const text = raw.toString("utf8");
  const type = route ? bodyTypeOf(route.operation) : header({ headers }, "content-type");
  if (type?.includes("form-urlencoded")) return Object.fromEntries(new URLSearchParams(text));
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const put = (root: JsonMembers, path: readonly string[], value: unknown): void =>
  value === null ? removeAt(root, path) : putAt(root, path, value);

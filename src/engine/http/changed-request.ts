// Changes logged requests that are sent again: replays, and rejected requests with a working change. Fields are set by path.
import controlOperations from "../../contract/generated/control-operations.json" with { type: "json" };
import operations from "../../contract/generated/operations.json" with { type: "json" };
import { getMember } from "../../platform/member-paths.ts";
import { rejectInput } from "../domain/kernel/domain-error.ts";
import { FORM_TYPE } from "./body.ts";
import { createFindings, type Exchange, type RawRequest, type Route, type Routed, readHeader } from "./exchange.ts";
import { readBodyType } from "./parameters.ts";
import { createRoutes } from "./routes.ts";

type Members = Readonly<Record<string, unknown>>;

/** `id` is used in errors. */
export interface RequestParts extends Pick<Exchange, "id" | "path" | "params" | "query" | "headers"> {
  body: unknown;
}

const SECTIONS = ["body", "query", "path", "header"] as const;

/** Groups the fields by section. A path without a section is in the body, which people change most. */
function groupBySection(set: Members): Record<(typeof SECTIONS)[number], Record<string, unknown>> {
  const groups = { body: {}, query: {}, path: {}, header: {} } as ReturnType<typeof groupBySection>;
  for (const [path, value] of Object.entries(set)) {
    const section = SECTIONS.find((each) => path.startsWith(`${each}.`));
    groups[section ?? "body"][section ? path.slice(section.length + 1) : path] = value;
  }
  return groups;
}

/**
 * Returns the request with these fields; null removes one. An unchanged body is the same value. `template`: the path of the operation. Throws 400
 * for a field that the request can't have.
 */
export function changeParts(parts: RequestParts, template: string, set: Members): RequestParts {
  const { body, query, path, header: headers } = groupBySection(set);
  const lowered = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    id: parts.id,
    path: setParameters(parts, template, path),
    params: setTexts(parts.params, path),
    query: setTexts(parts.query, query),
    headers: setTexts(parts.headers, lowered),
    body: Object.entries(body).reduce(
      (made, [at, value]) => (at === "body" ? value : setMember(made, at.split("."), value, at)),
      parts.body,
    ),
  };
}

/** Sets values as strings, for paths, queries and headers. */
function setTexts<T>(texts: Readonly<Record<string, T>>, set: Members): Record<string, T> {
  const made: Record<string, unknown> = { ...texts };
  for (const [name, value] of Object.entries(set))
    if (value === null) delete made[name];
    else made[name] = String(value);
  return made as Record<string, T>;
}

/** Sets parameters in the path by their position in the template. */
function setParameters({ id, path }: RequestParts, template: string, set: Members): string {
  const names = template.split("/");
  return Object.entries(set).reduce((made, [name, value]) => {
    const at = names.indexOf(`{${name}}`);
    if (at < 0) {
      const what = `the path of the request ${id.slice(0, 60)} has no such parameter.`;
      return rejectInput(`body.set.path.${name.slice(0, 60)}`, what);
    }
    return made
      .split("/")
      .with(at, encodeURIComponent(String(value ?? "")))
      .join("/");
  }, path);
}

/** Returns a copy with this field. Missing objects and lists on its path are created. */
function setMember(value: unknown, [name = "", ...rest]: readonly string[], member: unknown, path: string): unknown {
  if (Array.isArray(value)) {
    // The index after the last item appends.
    const index = Number(name);
    if (!/^\d+$/.test(name) || index > value.length) {
      const what = `${name.slice(0, 60)} is no place in the list, which has ${value.length}.`;
      return rejectInput(`body.set.${path}`, what);
    }
    if (rest.length === 0 && member === null) return value.toSpliced(index, 1);
    return value.toSpliced(index, 1, rest.length === 0 ? member : setMember(value[index], rest, member, path));
  }
  if (value !== undefined && value !== null && typeof value !== "object")
    return rejectInput(`body.set.${path}`, `there is ${JSON.stringify(value).slice(0, 60)}, which has no members.`);
  // A number begins a list if the value is missing.
  if (value === undefined && /^\d+$/.test(name)) return setMember([], [name, ...rest], member, path);
  const known = (value ?? {}) as Members;
  const members = Object.entries(known).filter(([each]) => each !== name || rest.length > 0 || member !== null);
  if (rest.length === 0 && member === null) return Object.fromEntries(members);
  const made = rest.length === 0 ? member : setMember(getMember(known, name), rest, member, path);
  // An existing field keeps its position.
  return Object.fromEntries([...new Map([...members, [name, made]])]);
}

const routes = new Map<string, Route>(
  [...createRoutes(operations, false), ...createRoutes(controlOperations, true)].map((route) => [route.id, route]),
);

export const findRoute = (operation: string | undefined): Route | undefined => routes.get(operation ?? "");

/** Returns the path of the operation with the names of its parameters; "" for a request without an operation. */
export const findTemplate = (operation: string | null): string =>
  findRoute(operation ?? undefined)?.operation.path ?? "";

/** Changes fields of a request that is only validated again, without the assumptions of a world. */
export function createChangedRequest(exchange: Routed, set: Members): Routed {
  const route = routes.get(exchange.route.id) ?? exchange.route;
  const body = readSentBody(exchange);
  const parts = changeParts({ ...exchange, body }, route.operation.path, set);
  const isUnchanged = parts.body === body;
  const { method, repeatedHeader, localAddress, httpVersion, mount, at } = exchange;
  return {
    ...createFindings(),
    ...{ method, repeatedHeader, localAddress, httpVersion, mount, at, route, started: 0 },
    ...parts,
    target: parts.path,
    // An unchanged body keeps its bytes, which may be malformed on purpose.
    raw: isUnchanged ? exchange.raw : encodeBody(parts.body, readBodyType(route.operation)),
    unreadable: isUnchanged ? exchange.unreadable : undefined,
    body: undefined,
  };
}

/** Encodes a body as JSON or, by its media type, as a form. Strings are not encoded. */
export function encodeBody(body: unknown, type: string | undefined): Buffer | undefined {
  if (body === null || body === undefined) return undefined;
  if (typeof body === "string") return Buffer.from(body);
  if (!type?.startsWith(FORM_TYPE)) return Buffer.from(JSON.stringify(body));
  return Buffer.from(new URLSearchParams(body as Record<string, string>).toString());
}

/** Parses the sent body as JSON or as a form; undefined if it is malformed. */
export function readSentBody({ raw, route, headers }: Pick<Exchange, "raw" | "route" | "headers">): unknown {
  if (!raw || raw.length === 0) return undefined;
  const text = raw.toString("utf8");
  const type = route ? readBodyType(route.operation) : readHeader({ headers }, "content-type");
  if (type?.includes("form-urlencoded")) return Object.fromEntries(new URLSearchParams(text));
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Headers of the connection, and of the encoding, which changes. */
const NOT_RESENT =
  /^(connection|content-encoding|content-length|expect|keep-alive|sandbox-by-hand|te|transfer-encoding|upgrade)$/;

/** Selects the headers that are valid in another request. */
export const selectResendHeaders = <T>(headers: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_RESENT.test(name)));

type ResentParts = Pick<Exchange, "method" | "path" | "query" | "headers" | "raw">;

/** `more`: headers that are added or replaced. */
export function createResend({ method, path, query, headers, raw }: ResentParts, more: Record<string, string>) {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, each]),
  );
  const search = pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
  const length = raw === undefined ? {} : { "content-length": String(raw.length) };
  return {
    method,
    target: `${path}${search}`,
    raw,
    headers: { ...(selectResendHeaders(headers) as RawRequest["headers"]), ...length, ...more },
  };
}

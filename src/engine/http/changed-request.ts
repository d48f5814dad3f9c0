// A logged request that is sent again: a replay, or a rejected one with the change that works. Members are set by path.
import controlOperations from "../../contract/generated/control-operations.json" with { type: "json" };
import operations from "../../contract/generated/operations.json" with { type: "json" };
import { getMember } from "../../platform/member-paths.ts";
import { rejectInput } from "../domain/kernel/domain-error.ts";
import { FORM_TYPE } from "./body.ts";
import { createFindings, type Exchange, header, type Route, type Routed, type Sending } from "./exchange.ts";
import { readBodyType } from "./parameters.ts";
import { createRoutes } from "./routes.ts";

type Members = Readonly<Record<string, unknown>>;

/** `id`: for errors. */
export interface RequestParts extends Pick<Exchange, "id" | "path" | "params" | "query" | "headers"> {
  body: unknown;
}

const SECTIONS = ["body", "query", "path", "header"] as const;

/** By section. A path without one is in the body, which is what people change most. */
function groupBySection(set: Members): Record<(typeof SECTIONS)[number], Record<string, unknown>> {
  const groups = { body: {}, query: {}, path: {}, header: {} } as ReturnType<typeof groupBySection>;
  for (const [path, value] of Object.entries(set)) {
    const section = SECTIONS.find((each) => path.startsWith(`${each}.`));
    groups[section ?? "body"][section ? path.slice(section.length + 1) : path] = value;
  }
  return groups;
}

/**
 * The request with these members, where null removes one. A body without a change is the same value. `template`: the path of the operation.
 * Throws 400 for a member that the request cannot have.
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

/** Addresses and headers are texts. */
function setTexts<T>(texts: Readonly<Record<string, T>>, set: Members): Record<string, T> {
  const made: Record<string, unknown> = { ...texts };
  for (const [name, value] of Object.entries(set))
    if (value === null) delete made[name];
    else made[name] = String(value);
  return made as Record<string, T>;
}

/** By position, since the path has the values in place of the names. */
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

/** A copy with this member. Missing objects and lists on the way are made. */
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
  // A number in place of a missing value begins a list.
  if (value === undefined && /^\d+$/.test(name)) return setMember([], [name, ...rest], member, path);
  const known = (value ?? {}) as Members;
  const members = Object.entries(known).filter(([each]) => each !== name || rest.length > 0 || member !== null);
  if (rest.length === 0 && member === null) return Object.fromEntries(members);
  const made = rest.length === 0 ? member : setMember(getMember(known, name), rest, member, path);
  // A member that is there keeps its position.
  return Object.fromEntries([...new Map([...members, [name, made]])]);
}

const routes = new Map<string, Route>(
  [...createRoutes(operations, false), ...createRoutes(controlOperations, true)].map((route) => [route.id, route]),
);

export const findRoute = (operation: string | undefined): Route | undefined => routes.get(operation ?? "");

/** The path of the operation, with the names of its parameters; "" for a request without an operation. */
export const findTemplate = (operation: string | null): string =>
  findRoute(operation ?? undefined)?.operation.path ?? "";

/** Changes members of a request that is checked again by the specification, without the assumptions of a world. It is never sent. */
export function changedRequest(exchange: Routed, set: Members): Routed {
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

/** As JSON, or as a form by its media type; a text as it is. */
export function encodeBody(body: unknown, type: string | undefined): Buffer | undefined {
  if (body === null || body === undefined) return undefined;
  if (typeof body === "string") return Buffer.from(body);
  const isForm = type?.startsWith(FORM_TYPE);
  const texts = () => Object.entries(body).map(([name, value]): [string, string] => [name, String(value)]);
  return Buffer.from(isForm ? new URLSearchParams(texts()).toString() : JSON.stringify(body));
}

/** What was sent, as JSON or as a form; undefined when it can't be read. */
export function readSentBody({ raw, route, headers }: Pick<Exchange, "raw" | "route" | "headers">): unknown {
  if (!raw || raw.length === 0) return undefined;
  const text = raw.toString("utf8");
  const type = route ? readBodyType(route.operation) : header({ headers }, "content-type");
  if (type?.includes("form-urlencoded")) return Object.fromEntries(new URLSearchParams(text));
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Of the connection, or of bytes that are encoded again. */
const NOT_AGAIN =
  /^(connection|content-encoding|content-length|expect|keep-alive|sandbox-by-hand|te|transfer-encoding|upgrade)$/;

/** Headers that mean the same in another request. */
export const selectResendHeaders = <T>(headers: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_AGAIN.test(name)));

type SentAgain = Pick<Exchange, "method" | "path" | "query" | "headers" | "raw">;

/** `more`: headers that it gets in addition, or instead. */
export function createResend({ method, path, query, headers, raw }: SentAgain, more: Record<string, string>): Sending {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, each]),
  );
  const search = pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
  const length = raw === undefined ? {} : { "content-length": String(raw.length) };
  return {
    method,
    target: `${path}${search}`,
    raw,
    headers: { ...(selectResendHeaders(headers) as Sending["headers"]), ...length, ...more },
  };
}

// Changes logged requests that are sent or checked again: replays, and rejected requests with a working change. The log
// has no secrets, so a correct client secret is read from the world.

import { getMember } from "../../platform/member-paths.ts";
import { optional } from "../../platform/optional.ts";
import type { Fault, WorldsPort } from "../app/application.ts";
import { rejectInput } from "../domain/kernel/domain-error.ts";
import { TOKEN_OPERATION } from "../domain/kernel/fault-rules.ts";
import type { Key } from "../domain/kernel/records.ts";
import { type ExchangeDetails, type LogEntry, readDetails, readPath, readQuery } from "../log/view.ts";
import type { World } from "../world/state/world.ts";
import { encodeBody } from "./body.ts";
import { HttpError, type TransportRule } from "./errors.ts";
import {
  createFindings,
  type Exchange,
  type RawRequest,
  type Rejection,
  type RepeatedHeader,
  type Routed,
  readHeader,
} from "./exchange.ts";
import { readBodyType } from "./parameters.ts";
import { findRoute } from "./routes.ts";
import { isSameSecret } from "./same-secret.ts";

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
 * Returns the request with these fields; null removes one. An unchanged body is the same value. `template`: the path of
 * the operation. Throws 400 for a field that the request can't have.
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

/** Changes fields of a request that is only validated again, without the assumptions of a world. */
export function createChangedRequest(exchange: Routed, set: Members): Routed {
  const route = findRoute(exchange.route.id) ?? exchange.route;
  const body = readSentBody(exchange);
  const parts = changeParts({ ...exchange, body }, route.operation.path, set);
  const isUnchanged = parts.body === body;
  const { method, repeatedHeader, localAddress, httpVersion, mount, at } = exchange;
  return {
    ...createFindings(),
    method,
    repeatedHeader,
    localAddress,
    httpVersion,
    mount,
    at,
    route,
    started: 0,
    ...parts,
    target: parts.path,
    // An unchanged body keeps its bytes, which may be malformed on purpose.
    raw: isUnchanged ? exchange.raw : encodeBody(parts.body, readBodyType(route.operation)),
    unreadable: isUnchanged ? exchange.unreadable : undefined,
    body: undefined,
  };
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

/** The ids of the clients whose secrets were correct, in the form and as HTTP Basic. */
interface RightCredentials {
  form?: string | undefined;
  basic?: string | undefined;
}

interface RejectedDetails extends ExchangeDetails {
  readonly fault?: Fault;
  readonly rejected?: {
    readonly rejection: Rejection;
    readonly route?: string;
    /** The scheme of the header Authorization. */
    readonly scheme?: string;
    readonly repeated?: RepeatedHeader;
    readonly isUnreadable?: true;
    readonly credentials?: RightCredentials;
  };
}

/** Finds the correct credentials of a token request. */
export function findRightCredentials(exchange: Exchange, { findKey }: WorldsPort): RightCredentials | undefined {
  if (exchange.route?.id !== TOKEN_OPERATION) return undefined;
  const form = new URLSearchParams(exchange.raw?.toString("utf8"));
  const [, coded = ""] = /^basic +(.+)$/i.exec(readHeader(exchange, "authorization")?.trim() ?? "") ?? [];
  const [id = "", secret] = Buffer.from(coded, "base64").toString("utf8").split(":");
  const findRight = (client: string, sent: string | null | undefined) =>
    isSameSecret(sent ?? "", findKey(client)?.key.secret ?? "-") ? client : undefined;
  return { form: findRight(form.get("client_id") ?? "", form.get("client_secret")), basic: findRight(id, secret) };
}

/** Reads why a request or an act was rejected. Returns undefined if it was not. */
export const readRejection = (entry: LogEntry): Rejection | undefined =>
  entry.kind === "request" || entry.kind === "act"
    ? readDetails<RejectedDetails>(entry).rejected?.rejection
    : undefined;

/** `world`: the world of the entry. */
export function restoreExchange(entry: LogEntry, world: World): Exchange {
  const details = readDetails<RejectedDetails>(entry);
  const { rejected, target, sent, fault } = details;
  const { keys } = world.credentials();
  const key = entry.client_id === undefined ? undefined : (keys.get(entry.client_id) ?? createGoneKey(entry.client_id));
  const findSecret = (id: string | undefined) => (id === undefined ? undefined : keys.get(id)?.secret);
  const secret = findSecret(rejected?.credentials?.form);
  const body = secret === undefined ? sent : sent && setSecret(sent, secret);
  return {
    ...createFindings(),
    id: entry.id,
    method: details.method,
    target,
    path: readPath(details),
    query: readQuery(target),
    headers: restoreHeaders(details, findSecret(rejected?.credentials?.basic)),
    raw: body === undefined ? undefined : Buffer.from(body),
    unreadable: rejected?.isUnreadable && toHttpError(rejected.rejection),
    repeatedHeader: rejected?.repeated,
    httpVersion: "1.1",
    mount: "",
    localAddress: undefined,
    started: 0,
    at: entry.at,
    params: { ...details.params },
    violations: [...(rejected?.rejection.violations ?? [])],
    facts: entry.facts,
    world,
    ...optional({ route: findRoute(rejected?.route), key, scopes: details.scopes, fault }),
  };
}

/** Creates a placeholder for a key that the world no longer has. */
const createGoneKey = (id: string): Key => ({ id, name: id, scopes: [], secret: "" }) as unknown as Key;

function setSecret(sent: string, secret: string): string {
  const form = new URLSearchParams(sent);
  form.set("client_secret", secret);
  return form.toString();
}

function restoreHeaders({ headers, rejected }: RejectedDetails, secret: string | undefined): Exchange["headers"] {
  if (headers.authorization === undefined) return headers;
  const { scheme = "", credentials } = rejected ?? {};
  const basic = secret === undefined ? undefined : Buffer.from(`${credentials?.basic}:${secret}`).toString("base64");
  return { ...headers, authorization: basic ? `Basic ${basic}` : `${scheme} ${headers.authorization}` };
}

const toHttpError = ({ status, message, rule, values: [values = {}] }: Rejection): HttpError =>
  new HttpError(status, message, { rule: rule as TransportRule, values });

// Changes logged requests that are sent or checked again: replays, which get a new token of the same key, and rejected
// requests with a working change. The log has no secrets, so a client secret is read from the world.

import type { Schemas } from "../../../contract/schemas.ts";
import { getMember } from "../../../platform/member-paths.ts";
import { optional } from "../../../platform/optional.ts";
import { REDACTED } from "../../../platform/redacted.ts";
import type { Fault } from "../../app/application.ts";
import { rejectInput } from "../../domain/kernel/domain-error.ts";
import { TOKEN_OPERATION } from "../../domain/kernel/fault-rules.ts";
import type { Key } from "../../domain/kernel/records.ts";
import { type ExchangeDetails, type LogEntry, readDetails, readPath, readQuery } from "../../log/view.ts";
import type { World } from "../../world/state/world.ts";
import { encodeBody } from "../body.ts";
import { HttpError, type TransportRule } from "../errors.ts";
import {
  createFindings,
  type Exchange,
  type RawRequest,
  type Rejection,
  type Routed,
  readHeader,
} from "../exchange.ts";
import { readBodyType } from "../parameters.ts";
import { findRoute } from "../routes.ts";
import { grantToken } from "../token.ts";
import { defineHandlers, ok, type Requested } from "./handler.ts";
import { findLogged } from "./watching.ts";

type Members = Readonly<Record<string, unknown>>;

/** `id` is used in errors. */
interface RequestParts extends Pick<Exchange, "id" | "path" | "params" | "query" | "headers"> {
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
function changeParts(parts: RequestParts, template: string, set: Members): RequestParts {
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
  const { method, localAddress, httpVersion, mount, at } = exchange;
  return {
    ...createFindings(),
    method,
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

interface RejectedDetails extends ExchangeDetails {
  readonly fault?: Fault;
  readonly rejected?: {
    readonly rejection: Rejection;
    readonly route?: string;
    /** The scheme of the header Authorization. */
    readonly scheme?: string;
    readonly isUnreadable?: true;
    /** The client of a token request. */
    readonly client?: string;
  };
}

/** Reads why a request or an act was rejected. Returns undefined if it was not. */
export const readRejection = (entry: LogEntry): Rejection | undefined =>
  entry.kind === "request" || entry.kind === "act"
    ? readDetails<RejectedDetails>(entry).rejected?.rejection
    : undefined;

/** `world`: the world of the entry. */
export function restoreExchange(entry: LogEntry, world: World): Exchange {
  const details = readDetails<RejectedDetails>(entry);
  const { rejected, target, fault } = details;
  const credentials = world.credentials();
  const { client_id: id } = entry;
  const key = id === undefined ? undefined : (credentials.keys.get(id) ?? createGoneKey(id));
  const { headers, sent } = restoreCredentials(details, credentials);
  return {
    ...createFindings(),
    id: entry.id,
    method: details.method,
    target,
    path: readPath(details),
    query: readQuery(target),
    headers,
    raw: sent === undefined ? undefined : Buffer.from(sent),
    unreadable: rejected?.isUnreadable && toHttpError(rejected.rejection),
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

/** Restores the secret of a token request, which the log does not keep. It is that of the key, unless it was wrong. */
function restoreCredentials({ headers, sent, rejected }: RejectedDetails, { keys }: ReturnType<World["credentials"]>) {
  const { scheme = "", route, rejection } = rejected ?? {};
  const form = new URLSearchParams(route === TOKEN_OPERATION ? sent : "");
  const client = rejected?.client ?? form.get("client_id") ?? "";
  const secret = rejection?.rule === "client-secret" ? undefined : keys.get(client)?.secret;
  if (secret !== undefined && form.has("client_secret")) form.set("client_secret", secret);
  const isBasic = secret !== undefined && /^basic$/i.test(scheme);
  const value = isBasic ? Buffer.from(`${client}:${secret}`).toString("base64") : headers.authorization;
  const authorization = value === undefined ? undefined : `${scheme} ${value}`;
  return { headers: { ...headers, authorization }, sent: form.has("client_secret") ? form.toString() : sent };
}

const toHttpError = ({ status, message, rule, values: [values = {}] }: Rejection): HttpError =>
  new HttpError(status, message, { rule: rule as TransportRule, values });

type Logged = Schemas["JournalRequest"];

export const replay = defineHandlers({
  async replayRequest(requested) {
    const { exchange, body, world, application, path } = requested;
    const logged = findLogged(world, path.requestId, application);
    const { body: changed, ...parts } = changeLogged(logged, body?.set ?? {});
    assertComplete(changed, logged.id);
    const raw = encodeBody(changed, String(parts.headers["content-type"]));
    // The log has only a hash of the former token, which may have expired.
    const token = createToken(logged, world, requested);
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const more = { "sandbox-replay-of": logged.id, ...authorization };
    const sending = createResend({ ...parts, method: logged.method, raw }, more);
    if (!exchange.resend) throw new Error("this request can't send another");
    return ok(await exchange.resend(sending));
  },
});

function changeLogged({ id, operation, path, request }: Logged, set: Record<string, unknown>) {
  const template = findRoute(operation)?.operation.path ?? "";
  const inBody = Object.keys(set).filter((name) => !/^(query|path|header)\./.test(name));
  const hasMembers = typeof request.body === "object" && request.body !== null;
  if (inBody.length > 0 && !hasMembers) return rejectMembers(id, template, inBody);
  const { query, headers, body } = request;
  return changeParts({ id, path, params: {}, query, headers, body } as RequestParts, template, set);
}

/** Rejects fields of a missing body, and explains how to name other parts of the request. */
function rejectMembers(id: string, template: string, names: readonly string[]): never {
  const inPath = names.find((name) => template.includes(`{${name}}`));
  const advice =
    inPath === undefined
      ? "Name a parameter with its section: query.limit, path.bookingId, header.accept-language."
      : `${inPath} is a parameter of its path. Name it path.${inPath}.`;
  return rejectInput(`body.set.${inPath ?? names[0]}`, `the request ${id.slice(0, 60)} has no JSON body. ${advice}`);
}

/** Creates a token for the key of the request; undefined for a request without a key. */
function createToken({ client_id, scopes }: Logged, world: World, requested: Requested<"replayRequest">) {
  const { exchange, application } = requested;
  if (client_id === null || !scopes) return undefined;
  const key = world.credentials().keys.get(client_id);
  if (key) return grantToken(exchange, { world, key, scopes }, application).access_token;
  const message = `The world ${world.id} has no key ${client_id.slice(0, 100)} any more, so the request can't be sent with it again.`;
  throw new HttpError(409, message, { code: "KEY_GONE" });
}

function assertComplete(body: unknown, id: string): void {
  const hidden = findRedacted(body, "");
  if (hidden === undefined) return;
  const what = hidden === "" ? "a secret in its body" : `its ${hidden}`;
  const message = `The log does not keep ${what} of the request ${id}, so it can't be sent again unchanged. Set that field again, or send the request yourself.`;
  throw new HttpError(409, message, { code: "NOT_KEPT" });
}

/** Finds the path of a redacted value. */
function findRedacted(value: unknown, path: string): string | undefined {
  if (typeof value === "string") return value.includes(REDACTED) ? path : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = findRedacted(member, path === "" ? name : `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

// Restores a rejected request from its log entry, so that it can be checked again. The log has no secrets, so a token is granted again, and a correct
// client secret is read from the world.

import { optional } from "../../platform/optional.ts";
import type { Fault, WorldsPort } from "../app/application.ts";
import { TOKEN_OPERATION } from "../domain/kernel/fault-rules.ts";
import type { Key } from "../domain/kernel/records.ts";
import { type ExchangeDetails, type LogEntry, readDetails, readPath, readQuery } from "../log/view.ts";
import type { World } from "../world/state/world.ts";
import { findRoute } from "./changed-request.ts";
import { HttpError, type TransportRule } from "./errors.ts";
import { createFindings, type Exchange, type Rejection, type RepeatedHeader, readHeader } from "./exchange.ts";
import { isSameSecret } from "./same-secret.ts";

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

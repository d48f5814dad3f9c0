// A logged request sent again, in the world as it is now: what the log has of it, with a new token of the same key.

import operations from "../../../contract/generated/operations.json" with { type: "json" };
import type { Schemas } from "../../../contract/schemas.ts";
import { memberOf } from "../../../platform/member-paths.ts";
import { REDACTED } from "../../../platform/redacted.ts";
import type { HistoryPort, RequestsPort, WorldsPort } from "../../app/application.ts";
import { reject } from "../../domain/kernel/domain-error.ts";
import type { World } from "../../world/state/world.ts";
import { HttpError } from "../errors.ts";
import { sentAgain } from "../sent-again.ts";
import { grantToken } from "../token.ts";
import { handlersWith, ok, type Requested } from "./handler.ts";
import { watching } from "./watching.ts";

type Logged = Schemas["JournalRequest"];

export const replay = handlersWith<WorldsPort & RequestsPort>()({
  async replayRequest(requested) {
    const { exchange, body } = requested;
    const world = requested.world;
    const first = await loggedIn(requested);
    const logged = changed(first, partsOf(body?.set ?? {}));
    const parts = { ...logged.request, method: logged.method, path: logged.path, raw: bytesOf(logged) };
    // The old one is in the log only as a hash, and may have expired.
    const token = tokenFor(logged, world, requested);
    const sending = sentAgain(parts, {
      "sandbox-replay-of": logged.id,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    });
    if (!exchange.again) throw new Error("this request can't send another");
    return ok(await exchange.again(sending));
  },
});

const PARTS = ["body", "query", "path", "header"] as const;
type ReplayedParts = Record<(typeof PARTS)[number], Record<string, unknown>>;

/** A path without a section is one in the body, which is what people change most. */
function partsOf(set: Record<string, unknown>): ReplayedParts {
  const parts: ReplayedParts = { body: {}, query: {}, path: {}, header: {} };
  for (const [path, value] of Object.entries(set)) {
    const part = PARTS.find((each) => path.startsWith(`${each}.`));
    parts[part ?? "body"][part ? path.slice(part.length + 1) : path] = value;
  }
  return parts;
}

function changed(logged: Logged, { body, query, path, header }: ReplayedParts): Logged {
  const { request } = logged;
  const changesBody = Object.keys(body).length > 0;
  if (changesBody && (typeof request.body !== "object" || request.body === null))
    return rejectMembers(logged, Object.keys(body));
  // Addresses and headers are texts; null takes one away.
  const texts = (of: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(of).map(([name, value]) => [name, value === null ? null : String(value)]));
  const lowerCase = Object.fromEntries(Object.entries(header).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    ...logged,
    path: withPath(logged, texts(path)),
    request: {
      body: changesBody ? withMembers(request.body, body) : request.body,
      query: without({ ...request.query, ...texts(query) }),
      headers: without({ ...request.headers, ...texts(lowerCase) }),
    },
  };
}

/** Other parts of a request than its body are named with their section. */
function rejectMembers({ id, operation }: Logged, names: readonly string[]): never {
  const template = operations.find(({ iid }) => iid === operation)?.path ?? "";
  const inPath = names.find((name) => template.includes(`{${name}}`));
  const advice =
    inPath === undefined
      ? "Name a parameter with its section: query.limit, path.bookingId, header.accept-language."
      : `${inPath} is a parameter of its path. Name it path.${inPath}.`;
  return reject("INVALID_INPUT", {
    path: `body.set.${inPath ?? names[0]}`,
    what: `the request ${id.slice(0, 60)} has no JSON body. ${advice}`,
  });
}

const without = <T>(members: Record<string, T | null>): Record<string, T> =>
  Object.fromEntries(Object.entries(members).filter((pair): pair is [string, T] => pair[1] !== null));

/** The path with other values of its parameters. */
function withPath({ path, operation, id }: Logged, set: Record<string, string | null>): string {
  const template = operations.find(({ iid }) => iid === operation)?.path.split("/") ?? [];
  return Object.entries(set).reduce((made, [name, value]) => {
    // By position, since the logged path has the values in place of the names.
    const at = template.indexOf(`{${name}}`);
    if (at < 0)
      return reject("INVALID_INPUT", {
        path: `body.set.path.${name.slice(0, 60)}`,
        what: `the path of the request ${id.slice(0, 60)} has no such parameter.`,
      });
    return made
      .split("/")
      .with(at, encodeURIComponent(value ?? ""))
      .join("/");
  }, path);
}

async function loggedIn(requested: Requested<"replayRequest">): Promise<Logged> {
  // As the log shows it, with its redactions.
  const answer = await watching.getRequest(
    requested as unknown as Requested<"getRequest", WorldsPort & RequestsPort & HistoryPort>,
  );
  return answer.body as Logged;
}

/** A request without a key goes without one again. */
function tokenFor(
  { client_id, scopes }: Logged,
  world: World,
  requested: Requested<"replayRequest", WorldsPort & RequestsPort>,
) {
  const { exchange, application } = requested;
  if (client_id === null || !scopes) return undefined;
  const key = world.credentials().keys.get(client_id);
  if (key) return grantToken(exchange, { world, key, scopes }, application).access_token;
  const message = `The world ${world.id} has no key ${client_id.slice(0, 100)} any more, so the request can't be sent with it again.`;
  throw new HttpError(409, message, { code: "KEY_GONE" });
}

function bytesOf({ id, request }: Logged): Buffer | undefined {
  const { body } = request;
  mustBeWhole(body, id);
  if (body === null || body === undefined) return undefined;
  if (typeof body === "string") return Buffer.from(body);
  const isForm = String(request.headers["content-type"]).includes("form-urlencoded");
  return Buffer.from(isForm ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body));
}

function mustBeWhole(body: unknown, id: string): void {
  const hidden = hiddenIn(body, "");
  if (hidden === undefined) return;
  const what = hidden === "" ? "a secret in its body" : `its ${hidden}`;
  const message = `The log does not keep ${what} of the request ${id}, so it can't be sent again as it was. Set that member anew, or send the request yourself.`;
  throw new HttpError(409, message, { code: "NOT_KEPT" });
}

/** The path of what the log has redacted. */
function hiddenIn(value: unknown, path: string): string | undefined {
  if (typeof value === "string") return value.includes(REDACTED) ? path : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = hiddenIn(member, path === "" ? name : `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A copy of the value with these members; one that is null is taken away. Missing objects and lists on the way are made. */
function withMembers(value: unknown, set: Readonly<Record<string, unknown>>): unknown {
  return Object.entries(set).reduce((made, [path, member]) => withMember(made, path.split("."), member, path), value);
}

function withMember(value: unknown, [name = "", ...rest]: readonly string[], member: unknown, path: string): unknown {
  if (Array.isArray(value)) {
    // One after the last appends.
    const index = Number(name);
    if (!/^\d+$/.test(name) || index > value.length)
      return reject("INVALID_INPUT", {
        path: `body.set.${path}`,
        what: `${name.slice(0, 60)} is no place in the list, which has ${value.length}.`,
      });
    if (rest.length === 0 && member === null) return value.toSpliced(index, 1);
    return value.toSpliced(index, 1, rest.length === 0 ? member : withMember(value[index], rest, member, path));
  }
  if (value !== undefined && value !== null && typeof value !== "object")
    return reject("INVALID_INPUT", {
      path: `body.set.${path}`,
      what: `there is ${JSON.stringify(value).slice(0, 60)}, which has no members.`,
    });
  // A number after nothing means a list.
  if (value === undefined && /^\d+$/.test(name)) return withMember([], [name, ...rest], member, path);
  const known = (value ?? {}) as Record<string, unknown>;
  const members = Object.entries(known).filter(([each]) => each !== name || rest.length > 0 || member !== null);
  if (rest.length === 0 && member === null) return Object.fromEntries(members);
  const made = rest.length === 0 ? member : withMember(memberOf(known, name), rest, member, path);
  // A member that is there keeps its position.
  return Object.fromEntries([...new Map([...members, [name, made]])]);
}

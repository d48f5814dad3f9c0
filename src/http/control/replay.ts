// A logged request sent again, in the world as it is now: what the log has of it, with a new token of the same key.
import { withMembers } from "../../domain/kernel/member-paths.ts";
import type { components } from "../../generated/control.ts";
import type { World } from "../../world/state/world.ts";
import { HttpError } from "../errors.ts";
import type { Sending } from "../exchange.ts";
import { REDACTED } from "../request-log-shown.ts";
import { grantToken } from "../token.ts";
import { chosenWorld, type Handlers, ok, type Requested } from "./handler.ts";
import { watching } from "./watching.ts";

type Logged = components["schemas"]["JournalRequest"];

export const REPLAY = "replayRequest";

/** Of the connection, or of bytes that are written anew. */
const NOT_AGAIN =
  /^(connection|content-encoding|content-length|expect|keep-alive|sandbox-observer|te|transfer-encoding|upgrade)$/;

export const replay: Handlers<"replayRequest"> = {
  async replayRequest(requested) {
    const { exchange, body } = requested;
    const world = chosenWorld(requested);
    const logged = await loggedIn(requested);
    const raw = bodyOf(logged, body?.set ?? {});
    const headers = { ...headersOf(logged), "sandbox-replay-of": logged.id, ...lengthOf(raw) };
    const token = tokenFor(logged, world, requested);
    const sending: Sending = {
      method: logged.method,
      target: `${logged.path}${searchOf(logged)}`,
      headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      raw,
    };
    if (!exchange.again) throw new Error("this request can't send another");
    return ok(await exchange.again(sending));
  },
};

async function loggedIn(requested: Requested<"replayRequest">): Promise<Logged> {
  const answer = await watching.getRequest(requested as unknown as Requested<"getRequest">);
  return answer.body as Logged;
}

/** A request without a key goes without one again. */
function tokenFor({ client_id, scopes }: Logged, world: World, requested: Requested<"replayRequest">) {
  const { exchange, application } = requested;
  if (client_id === null || scopes === undefined) return undefined;
  const key = world.credentials().keys.get(client_id);
  if (key) return grantToken(exchange, world, key, scopes, application).access_token;
  const message = `The world ${world.id} has no key ${client_id.slice(0, 100)} any more, so the request can't be sent with it again.`;
  throw new HttpError(409, message, { code: "KEY_GONE" });
}

function bodyOf({ id, request }: Logged, set: Record<string, unknown>): Buffer | undefined {
  const changes = Object.keys(set).length > 0;
  if (changes && (typeof request.body !== "object" || request.body === null)) {
    throw new HttpError(400, `body.set: the request ${id} has no body with members, so none can be changed.`);
  }
  const body = changes ? withMembers(request.body, set) : request.body;
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

/** The path of what the log has blotted. */
function hiddenIn(value: unknown, path: string): string | undefined {
  if (typeof value === "string") return value.includes(REDACTED) ? path : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = hiddenIn(member, path === "" ? name : `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function headersOf({ request }: Logged): Record<string, string | string[]> {
  return Object.fromEntries(Object.entries(request.headers).filter(([name]) => !NOT_AGAIN.test(name)));
}

const lengthOf = (raw: Buffer | undefined): Record<string, string> =>
  raw === undefined ? {} : { "content-length": String(raw.length) };

function searchOf({ request }: Logged): string {
  const pairs = Object.entries(request.query).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, each]),
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}

// Converts tokens and token requests. The player gets tokens of the world's key automatically, so only other tokens become steps, such as a
// token of another key, or a rejected token request.

import { TOKEN_LIFETIME_SECONDS } from "../../engine/domain/index.ts";
import type { Json, JsonObject } from "../../platform/json.ts";
import { moveClockTo } from "./clock.ts";
import { Inexpressible, type RequestEntry } from "./log-slice.ts";
import type { StoryBuilder } from "./story-builder.ts";

/** A token that no sandbox knows. */
const UNKNOWN_TOKEN = "raw:not-a-token";
/** Replaces a wrong secret, because the recorded one may be a real secret. */
const WRONG_SECRET = "not-the-secret";

/** Returns the member `as` of a call; empty for a token with all scopes. */
export function createTokenMember(entry: RequestEntry, builder: StoryBuilder): JsonObject {
  const { key } = builder.slice;
  const { request, client_id, scopes, status, faults } = entry;
  if (entry.operation === "createToken") return {};
  if (request.headers.authorization === undefined) return { as: "none" };
  // A fault with status 401 only hits requests with a valid token, unless it is a fault of the token.
  const isRefused = status === 401 && faults.every(({ fault }) => fault?.token);
  if (client_id === null || isRefused) return { as: UNKNOWN_TOKEN };
  if (client_id !== key.client_id) return { as: useOtherKey(client_id, entry, builder) };
  // The player uses a token with all scopes of the key by default.
  const isWhole =
    !scopes || (scopes.length === key.scopes.length && scopes.every((scope) => key.scopes.includes(scope)));
  return isWhole ? {} : { as: [...scopes] };
}

/** Returns a valid token of the key, with these scopes if known. Adds a step that requests one if the scenario has none. */
function useOtherKey(client_id: string, { at, scopes }: RequestEntry, builder: StoryBuilder): string {
  // The clock moves first, because the time of the request decides which tokens have expired.
  moveClockTo(at, builder);
  const now = Date.parse(builder.now);
  const scope = scopes?.join(" ");
  const valid = builder.tokens.findLast(
    (each) => each.client_id === client_id && each.expiresAt > now && (scope === undefined || each.scope === scope),
  );
  return `raw:\${${valid?.step ?? requestToken(client_id, scope, builder)}.body.access_token}`;
}

function requestToken(client_id: string, scope: string | undefined, builder: StoryBuilder): string {
  const step = builder.add("a token", {
    call: "createToken",
    with: { ...readKey(client_id, builder), ...(scope ? { scope } : {}) },
  });
  const expiresAt = Date.parse(builder.now) + TOKEN_LIFETIME_SECONDS * 1000;
  builder.tokens.push({ client_id, scope: scope ?? "", step, expiresAt });
  return step;
}

/** Stores a token from a recorded response for later requests. */
export function rememberToken(client_id: string, { answer }: RequestEntry, step: string, builder: StoryBuilder): void {
  const { scope, expires_in } = (answer?.body ?? {}) as JsonObject;
  const expiresAt = Date.parse(builder.now) + Number(expires_in ?? TOKEN_LIFETIME_SECONDS) * 1000;
  builder.tokens.push({ client_id, scope: String(scope ?? ""), step, expiresAt });
}

/** Returns the id and the secret of a key that an act of the scenario created. */
function readKey(client_id: string, { references }: StoryBuilder): JsonObject {
  const made = references.find(client_id);
  if (made === undefined) throw new Inexpressible("has a token of a key that the story did not make");
  return { client_id: made, client_secret: made.replace(/client_id\}$/, "client_secret}") };
}

/** Returns the members of a step that requests a token; undefined if the player does so automatically. */
export function createTokenCall(entry: RequestEntry, builder: StoryBuilder): JsonObject | undefined {
  const { key, url } = builder.slice;
  const form = (entry.request.body ?? {}) as JsonObject;
  const isOwn = entry.client_id === key.client_id || form.client_id === key.client_id;
  if (isOwn && entry.status === 200) return undefined;
  if (typeof form !== "object" || Array.isArray(form)) throw new Inexpressible("has a body that is no form");
  if (entry.request.headers.authorization !== undefined)
    throw new Inexpressible("has a key in its header, which is not written");
  const { grant_type, audience, client_id, client_secret, ...more } = form;
  // The client is missing in the log if the client or its secret was wrong.
  const isGuessed = entry.status === 401 && !entry.client_id;
  const ofOther = typeof client_id === "string" && !isOwn ? builder.references.find(client_id) : undefined;
  const withReferences = (value: Json | undefined): Json => builder.references.withReferences(value ?? null);
  const members: JsonObject = {
    ...omitDefault(grant_type, "client_credentials", { grant_type: withReferences(grant_type) }),
    ...(isSameAddress(audience, url) ? {} : { audience: withReferences(audience) }),
    ...(isOwn
      ? {}
      : ofOther === undefined
        ? { client_id: withReferences(client_id) }
        : readKey(String(client_id), builder)),
    ...(client_secret === undefined
      ? { client_secret: null }
      : isGuessed && ofOther === undefined
        ? { client_secret: WRONG_SECRET }
        : {}),
    ...(withReferences(more) as JsonObject),
  };
  return { call: "createToken", ...(Object.keys(members).length > 0 ? { with: members } : {}) };
}

const omitDefault = (value: unknown, byDefault: string, members: JsonObject): JsonObject =>
  value === byDefault ? {} : members;

function isSameAddress(audience: unknown, url: string): boolean {
  if (typeof audience !== "string" || !URL.canParse(audience) || !URL.canParse(url)) return false;
  const getPort = (text: string) => new URL(text).port;
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(audience).hostname)
    ? getPort(audience) === getPort(url)
    : audience === url;
}

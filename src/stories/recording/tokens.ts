// Whose token a request had, and the requests for tokens. The player has the key of the world: only what it would not do by itself is a
// step, such as a token of another key, or a request for one that was refused.

import { TOKEN_LIFETIME_SECONDS } from "../../engine/domain/index.ts";
import type { Json, JsonObject } from "../../platform/json.ts";
import { catchUp } from "./clock.ts";
import { Inexpressible } from "./inexpressible.ts";
import type { RequestEntry } from "./log-slice.ts";
import type { StoryBuilder } from "./story-builder.ts";

/** A token that no sandbox knows. */
const UNKNOWN_TOKEN = "raw:not-a-token";
/** Stands for a secret that was wrong; the one that was tried may be somebody's real one. */
const WRONG_SECRET = "not-the-secret";

/** The member `as` of a call; empty for a token with all scopes. */
export function createTokenMember(entry: RequestEntry, builder: StoryBuilder): JsonObject {
  const { key } = builder.slice;
  const { request, client_id, scopes, status, faults } = entry;
  if (entry.operation === "createToken") return {};
  if (request.headers.authorization === undefined) return { as: "none" };
  // A fault that answers 401 hits only a request with a good token, unless it is of the token.
  const isRefused = status === 401 && faults.every(({ fault }) => fault?.token);
  if (client_id === null || isRefused) return { as: UNKNOWN_TOKEN };
  if (client_id !== key.client_id) return { as: useOtherKey(client_id, entry, builder) };
  // A token with all scopes of the key is what the player takes by itself.
  const isWhole =
    !scopes || (scopes.length === key.scopes.length && scopes.every((scope) => key.scopes.includes(scope)));
  return isWhole ? {} : { as: [...scopes] };
}

/** A valid token of that key, with these scopes if they are known; a step requests one where the story has none. */
function useOtherKey(client_id: string, { at, scopes }: RequestEntry, builder: StoryBuilder): string {
  // The time of the request decides which tokens have expired, and a token that is requested before the clock moves may expire at once.
  catchUp(at, builder);
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

/** Keeps a token that a request of the recording has received, for the requests after it. */
export function rememberToken(client_id: string, { answer }: RequestEntry, step: string, builder: StoryBuilder): void {
  const { scope, expires_in } = (answer?.body ?? {}) as JsonObject;
  const expiresAt = Date.parse(builder.now) + Number(expires_in ?? TOKEN_LIFETIME_SECONDS) * 1000;
  builder.tokens.push({ client_id, scope: String(scope ?? ""), step, expiresAt });
}

/** The id and the secret of a key that an act of the story made. */
function readKey(client_id: string, { references }: StoryBuilder): JsonObject {
  const made = references.find(client_id);
  if (made === undefined) throw new Inexpressible("has a token of a key that the story did not make");
  return { client_id: made, client_secret: made.replace(/client_id\}$/, "client_secret}") };
}

/** The members of a step that requests a token; undefined when the player does so by itself. */
export function createTokenCall(entry: RequestEntry, builder: StoryBuilder): JsonObject | undefined {
  const { key, url } = builder.slice;
  const form = (entry.request.body ?? {}) as JsonObject;
  const isOwn = entry.client_id === key.client_id || form.client_id === key.client_id;
  // The player gets its tokens itself.
  if (isOwn && entry.status === 200) return undefined;
  if (typeof form !== "object" || Array.isArray(form)) throw new Inexpressible("has a body that is no form");
  if (entry.request.headers.authorization !== undefined)
    throw new Inexpressible("has a key in its header, which is not written");
  const { grant_type, audience, client_id, client_secret, ...more } = form;
  // Nobody knew the client, so the secret was wrong or the client was.
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

// Who sends a request: the operator by the control token, a team by a token that begins with sbx_, a browser by the cookie that it got for
// one of them. What the database answered is cached for two seconds, so that a revocation holds everywhere soon after.

import { hashOf } from "../../engine/world/index.ts";
import type { TeamStore } from "../postgres/team-use.ts";
import { makeCache } from "./cache.ts";
import type { CredentialHeaders, Principal, Unknown } from "./principal.ts";
import type { FoundToken } from "./team-rows.ts";

/** The cookie of a browser that has signed in: the same on every node. */
export const SHARED_COOKIE = "sandbox-session";

export interface PrincipalsDeps {
  store: Pick<TeamStore, "findToken" | "tokenUsed" | "openSession" | "findSession" | "closeSession">;
  controlToken: string;
  isControlToken(sent: string): boolean;
  /** The token that a request shows, and the id in its cookie. */
  tokenIn(headers: CredentialHeaders): string | undefined;
  sessionIn(headers: CredentialHeaders): string | undefined;
  newSecret(): string;
  /** Ms by a clock that nobody sets. */
  monotonic(): number;
  /** A failure that nobody waits for. */
  warn(sentence: string): void;
}

/** After them the browser has to sign in again. */
const SESSION_SECONDS = 12 * 60 * 60;
/** A token's last use is written again after so long. */
const COARSE_MS = 60_000;

/** 43 characters of base64url are 32 bytes. */
const TOKEN = /^sbx_[\w-]{43}$/;
/** `secret`: 32 random bytes in base64url. */
export const newToken = (secret: string): string => `sbx_${secret}`;

/** The control token has no row, no team and no end; it changes only with a restart. */
const OPERATOR: Principal = {
  role: "operator",
  team: null,
  subject: "operator",
  token: "control-token",
  expires_at: null,
};

/** `hashed`: the hash of a token that was sent. */
const toStranger = (why: string, hashed = ""): Unknown => ({
  team: null,
  subject: "unknown",
  token: hashed.slice(0, 12),
  why,
});

const isUnknown = (sender: Principal | Unknown): sender is Unknown => "why" in sender;

/** Nothing is stored but hashes: who reads the database can't sign in. */
export class Principals {
  readonly #deps: PrincipalsDeps;
  readonly #tokens: ReturnType<typeof makeCache<FoundToken>>;
  readonly #sessions: ReturnType<typeof makeCache<{ token: string | null }>>;

  constructor(deps: PrincipalsDeps) {
    this.#deps = deps;
    this.#tokens = makeCache(deps.monotonic, (hashed) => deps.store.findToken(hashed));
    this.#sessions = makeCache(deps.monotonic, (hashed) => deps.store.findSession(hashed));
  }

  /** Undefined: the request shows nothing that counts. */
  async principalOf(headers: CredentialHeaders): Promise<Principal | undefined> {
    const sender = await this.#identify(headers);
    return isUnknown(sender) ? undefined : sender;
  }

  /** Why it does not. */
  async rejectionOf(headers: CredentialHeaders): Promise<Unknown> {
    const sender = await this.#identify(headers);
    return isUnknown(sender) ? sender : { ...sender, why: "" };
  }

  /** The id in the cookie of a browser that has signed in. */
  sessionIn(headers: CredentialHeaders): string | undefined {
    return this.#deps.sessionIn(headers);
  }

  /** For a browser that shows a token; undefined where the token does not count. The session dies with its token, by the foreign key. */
  async signIn(token: string) {
    const principal = await this.principalOf({ authorization: `Bearer ${token}` });
    if (!principal) return undefined;
    const [id, seconds] = [this.#deps.newSecret(), SESSION_SECONDS];
    const isOperator = principal.role === "operator";
    await this.#deps.store.openSession({
      hash: isOperator ? this.#hashOfOperator(id) : hashOf(id),
      token: isOperator ? null : hashOf(token),
      seconds,
    });
    return { principal, id, seconds };
  }

  async signOut(id: string): Promise<void> {
    // Whose it was is not looked up: closing a session that is not there does nothing.
    for (const hashed of [hashOf(id), this.#hashOfOperator(id)]) {
      this.#sessions.invalidate(hashed);
      await this.#deps.store.closeSession(hashed);
    }
  }

  /** A session of the operator's is worthless once the control token is another one. */
  #hashOfOperator(id: string): string {
    return hashOf(`${id} ${this.#deps.controlToken}`);
  }

  /** A token wins over a cookie: a program that sends both means the token. */
  async #identify(headers: CredentialHeaders): Promise<Principal | Unknown> {
    const sent = this.#deps.tokenIn(headers);
    if (sent === undefined) {
      const id = this.#deps.sessionIn(headers);
      return id === undefined ? toStranger("There is no token.") : this.#identifySession(id);
    }
    if (this.#deps.isControlToken(sent)) return OPERATOR;
    if (TOKEN.test(sent)) return this.#identifyToken(hashOf(sent));
    return toStranger("The token is not the control token, nor one of a team (sbx_…).", hashOf(sent));
  }

  async #identifySession(id: string): Promise<Principal | Unknown> {
    if (await this.#sessions.get(this.#hashOfOperator(id))) return OPERATOR;
    const session = await this.#sessions.get(hashOf(id));
    return session?.token ? this.#identifyToken(session.token) : toStranger("The sign-in has ended. Sign in again.");
  }

  async #identifyToken(hashed: string): Promise<Principal | Unknown> {
    const found = await this.#tokens.get(hashed);
    if (!found) return toStranger("The token is unknown.", hashed);
    // Whose it was is known of a bad token too, for the audit log.
    const { id, team, subject, role, expires_at } = found;
    const why = explainRejection(found);
    if (why !== undefined) return { team, subject, token: id, why };
    this.#noteUse(hashed, found);
    return { team, subject, token: id, role, expires_at };
  }

  #noteUse(hashed: string, found: FoundToken): void {
    if (found.used_at !== null && Date.parse(found.used_at) > Date.parse(found.now) - COARSE_MS) return;
    // In the cached row, so that the next request within the minute writes nothing.
    found.used_at = found.now;
    const { store, warn } = this.#deps;
    store.tokenUsed(hashed).catch((reason) => warn(`The last use of a token could not be written: ${String(reason)}`));
  }
}

function explainRejection(token: FoundToken): string | undefined {
  const { id, team, subject, is_member, revoked_at, expired, expires_at } = token;
  if (revoked_at !== null) return `The token ${id} was revoked at ${revoked_at}.`;
  if (expired) return `The token ${id} expired at ${expires_at}.`;
  return is_member ? undefined : `${subject} is no member of the team ${team} any more.`;
}

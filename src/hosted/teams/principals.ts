// Identifies the sender of a request: the operator by the control token, a team by a token that begins with sbx_, and a browser by its cookie.
// Results are cached for two seconds, so a revocation soon holds on every node.

import { hashToken } from "../../engine/world/index.ts";
import type { TeamStore } from "../postgres/team-use.ts";
import { createCache } from "./cache.ts";
import type { FoundToken, TeamRole } from "./team-rows.ts";

/** The sender of a request to the control API. */
export interface Principal {
  role: TeamRole | "operator";
  /** Null for the operator. */
  team: string | null;
  subject: string;
  /** The id of the token, for the audit log. */
  token: string;
  expires_at: string | null;
}

/** The claims of a sender whose credentials are rejected. */
export interface Unknown extends Pick<Principal, "team" | "subject" | "token"> {
  why: string;
}

type CredentialHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The cookie of a browser that has signed in: the same on every node. */
export const SHARED_COOKIE = "sandbox-session";

export interface PrincipalsDeps {
  store: Pick<TeamStore, "findToken" | "recordUse" | "openSession" | "findSession" | "closeSession">;
  controlToken: string;
  isControlToken(sent: string): boolean;
  /** Reads the bearer token of a request. */
  tokenIn(headers: CredentialHeaders): string | undefined;
  /** Reads the id in the cookie of a request. */
  readSession(headers: CredentialHeaders): string | undefined;
  newSecret(): string;
  /** A clock in ms that is never set. */
  monotonic(): number;
  warn(sentence: string): void;
}

/** A browser has to sign in again afterwards. */
const SESSION_SECONDS = 12 * 60 * 60;
/** The last use of a token is written at most this often. */
const USE_PRECISION_MS = 60_000;

/** 43 characters of base64url are 32 bytes. */
const TOKEN = /^sbx_[\w-]{43}$/;

/** The control token has no row, no team and no end. It changes only with a restart. */
const OPERATOR: Principal = {
  role: "operator",
  team: null,
  subject: "operator",
  token: "control-token",
  expires_at: null,
};

const createStranger = (why: string, hashed = ""): Unknown => ({
  team: null,
  subject: "unknown",
  token: hashed.slice(0, 12),
  why,
});

export const isUnknown = (sender: Principal | Unknown): sender is Unknown => "why" in sender;

/** The database holds only hashes, which can't be used to sign in. */
export class Principals {
  readonly #deps: PrincipalsDeps;
  readonly #tokens: ReturnType<typeof createCache<FoundToken>>;
  readonly #sessions: ReturnType<typeof createCache<{ token: string | null }>>;

  constructor(deps: PrincipalsDeps) {
    this.#deps = deps;
    this.#tokens = createCache(deps.monotonic, (hashed) => deps.store.findToken(hashed));
    this.#sessions = createCache(deps.monotonic, (hashed) => deps.store.findSession(hashed));
  }

  /** Prefers the token to the cookie: a program that sends both means the token. */
  async identify(headers: CredentialHeaders): Promise<Principal | Unknown> {
    const sent = this.#deps.tokenIn(headers);
    if (sent === undefined) {
      const id = this.readSession(headers);
      return id === undefined ? createStranger("There is no token.") : this.#identifySession(id);
    }
    if (this.#deps.isControlToken(sent)) return OPERATOR;
    if (TOKEN.test(sent)) return this.#identifyToken(hashToken(sent));
    return createStranger("The token is not the control token, nor one of a team (sbx_…).", hashToken(sent));
  }

  /** Returns undefined if the credentials of the request are not accepted. */
  async findPrincipal(headers: CredentialHeaders): Promise<Principal | undefined> {
    const sender = await this.identify(headers);
    return isUnknown(sender) ? undefined : sender;
  }

  /** Reads the id in the cookie of a browser that has signed in. */
  readSession(headers: CredentialHeaders): string | undefined {
    return this.#deps.readSession(headers);
  }

  /** Opens a session for the sender of a token. The session ends with the token, by the foreign key. */
  async signIn(token: string) {
    const principal = await this.identify({ authorization: `Bearer ${token}` });
    if (isUnknown(principal)) return principal;
    const [id, seconds] = [this.#deps.newSecret(), SESSION_SECONDS];
    const isOperator = principal.role === "operator";
    await this.#deps.store.openSession({
      hash: isOperator ? this.#hashForOperator(id) : hashToken(id),
      token: isOperator ? null : hashToken(token),
      seconds,
    });
    return { principal, id, seconds };
  }

  /** Does nothing for a session that is not there. */
  async signOut(id: string): Promise<void> {
    for (const hashed of [hashToken(id), this.#hashForOperator(id)]) {
      this.#sessions.invalidate(hashed);
      await this.#deps.store.closeSession(hashed);
    }
  }

  /** A session of the operator is worthless after the control token has changed. */
  #hashForOperator(id: string): string {
    return hashToken(`${id} ${this.#deps.controlToken}`);
  }

  async #identifySession(id: string): Promise<Principal | Unknown> {
    if (await this.#sessions.get(this.#hashForOperator(id))) return OPERATOR;
    const session = await this.#sessions.get(hashToken(id));
    return session?.token
      ? this.#identifyToken(session.token)
      : createStranger("The sign-in has ended. Sign in again.");
  }

  async #identifyToken(hashed: string): Promise<Principal | Unknown> {
    const found = await this.#tokens.get(hashed);
    if (!found) return createStranger("The token is unknown.", hashed);
    const { id, team, subject, role, expires_at } = found;
    const why = explainRejection(found);
    // The audit log names the sender of a rejected token too.
    if (why !== undefined) return { team, subject, token: id, why };
    this.#noteUse(hashed, found);
    return { team, subject, token: id, role, expires_at };
  }

  #noteUse(hashed: string, found: FoundToken): void {
    if (found.used_at !== null && Date.parse(found.used_at) > Date.parse(found.now) - USE_PRECISION_MS) return;
    // The cached row is updated, so that the next request within the minute writes nothing.
    found.used_at = found.now;
    const { store, warn } = this.#deps;
    store.recordUse(hashed).catch((reason) => warn(`The last use of a token could not be written: ${String(reason)}`));
  }
}

function explainRejection(token: FoundToken): string | undefined {
  const { id, team, subject, is_member, revoked_at, expired, expires_at } = token;
  if (revoked_at !== null) return `The token ${id} was revoked at ${revoked_at}.`;
  if (expired) return `The token ${id} expired at ${expires_at}.`;
  return is_member ? undefined : `${subject} is no member of the team ${team} any more.`;
}

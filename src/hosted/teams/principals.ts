// Who sends a request: the operator by the control token, a team by a token that begins with sbx_, a browser by the cookie that it got for
// one of them. What the database answered is cached for two seconds, so that a revocation holds everywhere soon after.

import { hashOf } from "../../engine/world/state/credential.ts";
import type { TeamStore } from "../postgres/team-use.ts";
import { makeCache } from "./cache.ts";
import type { CredentialHeaders, Principal, Unknown } from "./principal.ts";
import type { FoundToken } from "./team-rows.ts";

/** The cookie of a browser that has signed in: the same on every node. */
export const SHARED_COOKIE = "sandbox-session";

export interface PrincipalNeeds {
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
const idOf = (hashed: string): string => hashed.slice(0, 12);

// The control token has no row, no team and no end; it changes only with a restart.
const OPERATOR: Principal = {
  role: "operator",
  team: null,
  subject: "operator",
  token: "control-token",
  expires_at: null,
};
const NOBODY = { team: null, subject: "unknown", token: "" };

type Judged = { principal: Principal } | { unknown: Unknown };

/** Nothing is stored but hashes: who reads the database can't sign in. */
export function makePrincipals(needs: PrincipalNeeds) {
  const { store } = needs;
  const tokens = makeCache(needs.monotonic, (hashed) => store.findToken(hashed));
  const sessions = makeCache(needs.monotonic, (hashed) => store.findSession(hashed));
  /** Of the operator's: worthless once the control token is another one. */
  const ofOperator = (id: string) => hashOf(`${id} ${needs.controlToken}`);

  async function byToken(hashed: string): Promise<Judged> {
    const found = await tokens.get(hashed);
    const judged = found ? judge(found) : { unknown: { ...NOBODY, token: idOf(hashed), why: "The token is unknown." } };
    if (found && "principal" in judged) noteUse(hashed, found);
    return judged;
  }

  function noteUse(hashed: string, found: FoundToken): void {
    if (found.used_at !== null && Date.parse(found.used_at) > Date.parse(found.now) - COARSE_MS) return;
    // In the cached row, so that the next request within the minute writes nothing.
    found.used_at = found.now;
    store
      .tokenUsed(hashed)
      .catch((reason) => needs.warn(`The last use of a token could not be written: ${String(reason)}`));
  }

  async function bySession(id: string): Promise<Judged> {
    if (await sessions.get(ofOperator(id))) return { principal: OPERATOR };
    const session = await sessions.get(hashOf(id));
    if (session?.token) return byToken(session.token);
    return { unknown: { ...NOBODY, why: "The sign-in has ended. Sign in again." } };
  }

  // A token wins over a cookie: a program that sends both means the token.
  async function judged(headers: CredentialHeaders): Promise<Judged> {
    const sent = needs.tokenIn(headers);
    if (sent !== undefined) {
      if (needs.isControlToken(sent)) return { principal: OPERATOR };
      return TOKEN.test(sent)
        ? byToken(hashOf(sent))
        : {
            unknown: {
              ...NOBODY,
              token: idOf(hashOf(sent)),
              why: "The token is not the control token, nor one of a team (sbx_…).",
            },
          };
    }
    const id = needs.sessionIn(headers);
    return id === undefined ? { unknown: { ...NOBODY, why: "There is no token." } } : bySession(id);
  }

  return {
    /** Undefined: the request shows nothing that counts. */
    async principalOf(headers: CredentialHeaders) {
      const found = await judged(headers);
      return "principal" in found ? found.principal : undefined;
    },
    /** Why it does not. */
    async rejectionOf(headers: CredentialHeaders): Promise<Unknown> {
      const found = await judged(headers);
      return "unknown" in found ? found.unknown : { ...found.principal, why: "" };
    },
    /** Undefined where the token is not good. The session dies with its token, by the foreign key. */
    async signIn(token: string) {
      const found = await judged({ authorization: `Bearer ${token}` });
      if ("unknown" in found) return undefined;
      const { principal } = found;
      const [id, seconds] = [needs.newSecret(), SESSION_SECONDS];
      const isOperator = principal.role === "operator";
      const opened = isOperator ? { hash: ofOperator(id), token: null } : { hash: hashOf(id), token: hashOf(token) };
      await store.openSession({ ...opened, seconds });
      return { principal, id, seconds };
    },
    async signOut(id: string) {
      // Whose it was is not looked up: closing a session that is not there does nothing.
      for (const hashed of [hashOf(id), ofOperator(id)]) {
        sessions.invalidate(hashed);
        await store.closeSession(hashed);
      }
    },
  };
}

// Whose it was is known of a bad token too, for the audit log.
function judge({ id, team, subject, role, is_member, revoked_at, expired, expires_at }: FoundToken): Judged {
  const whose = { team, subject, token: id };
  if (revoked_at !== null) return { unknown: { ...whose, why: `The token ${id} was revoked at ${revoked_at}.` } };
  if (expired) return { unknown: { ...whose, why: `The token ${id} expired at ${expires_at}.` } };
  if (!is_member) return { unknown: { ...whose, why: `${subject} is no member of the team ${team} any more.` } };
  return { principal: { ...whose, role, expires_at } };
}

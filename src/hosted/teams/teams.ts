// Teams: the senders of requests to the control API, what teams may still use, and the audit log. A sender is the
// operator by the control token, a team by a token that begins with sbx_, or a browser by its cookie. Results are
// cached for two seconds, so a revocation soon holds on every node.
import { readCookie, readSentToken } from "../../engine/http/control/index.ts";
import { hashToken } from "../../engine/world/index.ts";
import { waitAtMost } from "../postgres/connection.ts";
import type { AuditRow, FoundToken, NewToken, TeamRole, TeamStore } from "../postgres/team-store.ts";
import type { Making } from "../postgres/write-batch.ts";
import { createCache } from "./cache.ts";
import { Quotas } from "./quotas.ts";

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

/** Reads the id in the cookie of a browser that has signed in. */
export const readSession = (headers: CredentialHeaders) => readCookie(headers, SHARED_COOKIE);

interface TeamsDeps {
  store: TeamStore;
  controlToken: string;
  isControlToken(sent: string): boolean;
  newSecret(): string;
  /** Ms since 1970 by the database's clock. */
  now(): number;
  /** A clock in ms that is never set. */
  monotonic(): number;
  /** Converts an ISO 8601 duration from now on to seconds. */
  secondsIn(duration: string): number;
  warn(sentence: string): void;
}

/** A browser has to sign in again afterwards. */
const SESSION_SECONDS = 12 * 60 * 60;
/** Per minute and node. The next entry says how many more were left out. */
const MAX_STRANGERS = 100;
const MINUTE_MS = 60_000;

/** A node that stops waits at most this long for the database, which may be silent. */
const MAX_CLOSE_MS = 1000;

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

/** The database holds only hashes of tokens and sessions, which can't be used to sign in. */
export class Teams {
  readonly store: TeamStore;
  readonly limits: Quotas;
  /** The creation under way. Undefined: no world is being created. */
  making: Making | undefined;
  /** Requests without an accepted token in this minute, and those that the audit log does not have. */
  #strangers = { since: Number.NEGATIVE_INFINITY, count: 0, left: 0 };
  readonly #deps: TeamsDeps;
  readonly #tokens: ReturnType<typeof createCache<FoundToken>>;
  readonly #sessions: ReturnType<typeof createCache<{ token: string | null }>>;
  readonly #owners: ReturnType<typeof createCache<{ team: string | null }>>;

  constructor(deps: TeamsDeps) {
    const { store, monotonic } = deps;
    this.store = store;
    this.limits = new Quotas(deps);
    this.#deps = deps;
    this.#tokens = createCache(monotonic, (hashed) => store.findToken(hashed));
    this.#sessions = createCache(monotonic, (hashed) => store.findSession(hashed));
    this.#owners = createCache(monotonic, (world) => store.findTeam(world));
  }

  /** Prefers the token to the cookie: a program that sends both means the token. */
  async identify(headers: CredentialHeaders): Promise<Principal | Unknown> {
    const sent = readSentToken(headers);
    if (sent === undefined) {
      const id = readSession(headers);
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

  /** Opens a session for the sender of a token. The session ends with the token, by the foreign key. */
  async signIn(token: string) {
    const principal = await this.identify({ authorization: `Bearer ${token}` });
    if (isUnknown(principal)) return principal;
    const id = this.#deps.newSecret();
    const isOperator = principal.role === "operator";
    await this.store.openSession(this.#hash(id), isOperator ? null : hashToken(token), SESSION_SECONDS);
    return { principal, id, seconds: SESSION_SECONDS };
  }

  /** Does nothing for a session that is not there. */
  async signOut(id: string): Promise<void> {
    const hashed = this.#hash(id);
    this.#sessions.invalidate(hashed);
    await this.store.closeSession(hashed);
  }

  /**
   * The token is in no other response. Returns undefined if it would expire before it begins. `expires`: an ISO 8601
   * duration; undefined: until it is revoked.
   */
  async createToken({ expires, ...wanted }: Omit<NewToken, "hash" | "seconds"> & { expires: string | undefined }) {
    const seconds = expires === undefined ? null : this.#deps.secondsIn(expires);
    if (seconds !== null && seconds <= 0) return undefined;
    const token = `sbx_${this.#deps.newSecret()}`;
    return { token, row: await this.store.addToken({ ...wanted, seconds, hash: hashToken(token) }) };
  }

  /** Returns the team of a world, null for none, or undefined if there is no such world. */
  async findTeam(world: string): Promise<string | null | undefined> {
    return (await this.#owners.get(world))?.team;
  }

  /** Returns the cached team without waiting. Use it for counts, not for permissions. */
  readTeam(world: string): string | null | undefined {
    return this.#owners.readLatest(world)?.team;
  }

  /** Loads the team of a world and its quotas. Returns undefined if both are known. */
  load(world: string): Promise<void> | undefined {
    const team = this.readTeam(world);
    if (team === undefined) return this.findTeam(world).then((found) => (found ? this.limits.load(found) : undefined));
    return team === null ? undefined : this.limits.load(team);
  }

  /** Worlds that `work` creates belong to the team. All of them are kept, or none is. */
  runForTeam<T>(team: string | null, work: () => T): T {
    // `work` is synchronous, so a field is enough, and the engine needs no parameter.
    const before = this.making;
    this.making = { team };
    try {
      return work();
    } finally {
      this.making = before;
    }
  }

  /** Writes to the audit log. A failure does not fail the audited request. */
  async note(entry: Omit<AuditRow, "at">): Promise<void> {
    const { store, warn } = this.#deps;
    const isStranger = entry.team === null && entry.status === 401;
    if (isStranger && !this.#countStranger()) return;
    const left = isStranger ? this.#strangers.left : 0;
    const row = left > 0 ? { ...entry, detail: { ...entry.detail, left_out: left } } : entry;
    if (row !== entry) this.#strangers.left = 0;
    await store.addAudit(row).catch((reason: Error) => {
      warn(`The audit log could not be written (${row.action}): ${reason.message}`);
    });
  }

  /** Returns whether the audit log may have another stranger, so that they can't fill the database. */
  #countStranger(): boolean {
    const now = this.#deps.monotonic();
    if (now - this.#strangers.since > MINUTE_MS) this.#strangers = { ...this.#strangers, since: now, count: 0 };
    const isFull = ++this.#strangers.count > MAX_STRANGERS;
    if (isFull) this.#strangers.left++;
    return !isFull;
  }

  /** Writes what teams have used. */
  async close(): Promise<void> {
    await waitAtMost(MAX_CLOSE_MS, this.limits.close());
  }

  /** A session is worthless after the control token has changed. */
  #hash(id: string): string {
    return hashToken(`${id} ${this.#deps.controlToken}`);
  }

  async #identifySession(id: string): Promise<Principal | Unknown> {
    const session = await this.#sessions.get(this.#hash(id));
    if (!session) return createStranger("The sign-in has ended. Sign in again.");
    return session.token === null ? OPERATOR : this.#identifyToken(session.token);
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
    if (!found.is_unused) return;
    // The cached row is updated, so that the next request within the minute writes nothing.
    found.is_unused = false;
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

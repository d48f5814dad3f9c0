// Manages the sessions of a running sandbox. The client, a long silence or the end of the sandbox ends a session, whose worlds
// are then removed. The protocol implementation is loaded with the first session.
import type { McpAnswer, McpMessage, McpSessions } from "../../engine/app/index.ts";
import type { OpenSession, SandboxServer } from "../server.ts";

interface SessionDeps {
  sandbox(): SandboxServer;
  /** Creates a session id that contains the id of the session's first world. */
  newSessionId(world: string): string;
  newWorldId(): string;
  /** Returns false if the world is not on this node. */
  removeWorld(id: string): boolean;
  maxSessions?: number;
  idleMs?: number;
}

interface StoredSession extends OpenSession {
  /** The account that started the session. */
  account: string | undefined;
  lastUsedMs: number;
  /** Messages without a response yet. */
  busy: number;
  /** Resolves when the session ends. Pending messages then get no response. */
  ended: Promise<void>;
  release(): void;
}

/** The limit of concurrent sessions, because each has a world in memory. */
const MAX_SESSIONS = 32;
/** A session ends after this time without a message. */
const IDLE_MS = 30 * 60_000;
/** The sandbox waits at most this long for the removal of a world when it stops. */
const REMOVAL_MS = 2000;
const SWEEP_MS = 60_000;

/** Sessions return statuses and bodies, which the transport writes. */
export const makeSessions = (deps: SessionDeps): McpSessions => new Sessions(deps);

class Sessions implements McpSessions {
  readonly #deps: Required<SessionDeps>;
  readonly #sessions = new Map<string, StoredSession>();
  #opening = 0;
  #isClosed = false;
  #sweep: NodeJS.Timeout | undefined;

  constructor(deps: SessionDeps) {
    this.#deps = { maxSessions: MAX_SESSIONS, idleMs: IDLE_MS, ...deps };
  }

  async ask(call: McpMessage): Promise<McpAnswer> {
    if (call.session !== undefined) return this.#handle(call.session, call);
    if (!isInitialize(call.body))
      return { status: 400, rejection: "There is no header mcp-session-id. Send initialize first." };
    // Sessions that are being opened count, because they wait for their world.
    const { maxSessions } = this.#deps;
    if (this.#sessions.size + this.#opening >= maxSessions)
      return { status: 503, rejection: `There are ${maxSessions} sessions already. ${TRY_LATER}` };
    // If no world could be made, the reason of the sandbox is the response.
    const id = await this.#open(call).catch((reason: Error) => reason);
    if (id instanceof Error) return { status: 503, rejection: `The session could not start. ${id.message}` };
    const answered = await this.#handle(id, call);
    if (answered.rejection === undefined) return answered;
    // A rejected `initialize` must leave no session and no world.
    await this.end(id);
    return { status: answered.status, rejection: BAD_INITIALIZE };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#sessions.keys()].map((id) => this.end(id)));
  }

  async end(id: string, account?: string): Promise<boolean> {
    const session = this.#sessions.get(id);
    if (!session || !isFor(session, account)) return false;
    // The session is removed before the first `await`, so that a second call has no effect.
    this.#sessions.delete(id);
    if (this.#sessions.size === 0) clearInterval(this.#sweep);
    // Closing waits for pending responses, so they are released first.
    session.release();
    await session.close();
    const { removeWorld } = this.#deps;
    await Promise.all(session.own().map((world) => removeWorld(world) || this.#removeElsewhere(world)));
    return true;
  }

  async #removeElsewhere(world: string): Promise<void> {
    const { removeWorldAt } = await import("../index.ts");
    // The request uses the token of the sandbox, because that of the session may have expired. If no node responds, the world stays.
    await removeWorldAt(this.#deps.sandbox(), world, AbortSignal.timeout(REMOVAL_MS)).catch(() => undefined);
  }

  #endSilent(): void {
    for (const [id, session] of this.#sessions) if (measureSilence(session) >= this.#deps.idleMs) void this.end(id);
  }

  async #open({ world: named, token, account }: McpMessage): Promise<string> {
    const { sandbox, newSessionId, newWorldId } = this.#deps;
    // The counter is increased before the first `await`, so that the limit holds.
    this.#opening++;
    try {
      const { openSession } = await import("../index.ts");
      // The id of the session contains that of the world, so the latter is chosen first.
      const own = named === undefined ? [newWorldId()] : [];
      const id = newSessionId(named ?? (own[0] as string));
      const session = await openSession(token === undefined ? sandbox() : { ...sandbox(), controlToken: token }, {
        id,
        named,
        newWorldId: () => own.pop() ?? newWorldId(),
      });
      let release = () => {};
      const ended = new Promise<void>((resolve) => (release = resolve));
      this.#sessions.set(id, { ...session, account, lastUsedMs: performance.now(), busy: 0, ended, release });
      // The sandbox may have stopped since the opening began.
      if (this.#isClosed) await this.end(id);
      else if (this.#sessions.size === 1)
        this.#sweep = setInterval(() => this.#endSilent(), Math.min(this.#deps.idleMs, SWEEP_MS)).unref();
      return id;
    } finally {
      this.#opening--;
    }
  }

  async #handle(id: string, { body, protocol, account }: McpMessage): Promise<McpAnswer> {
    const session = this.#sessions.get(id);
    const notFound = { status: 404, rejection: `There is no session ${id.slice(0, 120)}. ${INITIALIZE_AGAIN}` };
    if (!session || !isFor(session, account)) return notFound;
    session.busy++;
    try {
      const headers = { ...ACCEPTING, "mcp-session-id": id, ...(protocol ? { "mcp-protocol-version": protocol } : {}) };
      const request = new Request("http://sandbox/_sandbox/mcp", { method: "POST", headers });
      const response = await Promise.race([session.handle(request, body), session.ended]);
      if (!response) return notFound;
      // The response to a notification has no body.
      const text = await response.text();
      const value: unknown = text === "" ? undefined : JSON.parse(text);
      if (!response.ok) return { status: response.status, rejection: readMessage(value) };
      return { status: response.status, session: id, body: value };
    } finally {
      session.busy--;
      session.lastUsedMs = performance.now();
    }
  }
}

/** Returns milliseconds. A session with a message in progress is never silent. */
const measureSilence = ({ lastUsedMs, busy }: StoredSession): number => (busy > 0 ? 0 : performance.now() - lastUsedMs);

/** A caller without an account is the operator, who may use all sessions. */
const isFor = (session: StoredSession, account: string | undefined): boolean =>
  account === undefined || session.account === account;

const INITIALIZE_AGAIN =
  "The session ended, or the sandbox was restarted. Send initialize again, without the header mcp-session-id.";
const TRY_LATER = "End one with DELETE, or try again later: a session that is silent for half an hour ends by itself.";
const BAD_INITIALIZE = "initialize requires params: protocolVersion, capabilities and clientInfo. Send all of them.";
/** The response is always JSON. These headers are set for clients that do not send them. */
const ACCEPTING = { accept: "application/json, text/event-stream", "content-type": "application/json" };

const isInitialize = (body: unknown): boolean => (body as { method?: unknown } | undefined)?.method === "initialize";

const readMessage = (value: unknown): string =>
  (value as { error?: { message?: string } } | undefined)?.error?.message ?? "The server rejected the message.";

// The sessions of a running sandbox. Each is ended by its client, after a long silence, or with the sandbox; then its worlds are removed.
// The protocol itself is loaded with the first session.
import type { McpAnswer, McpMessage, McpSessions } from "../../engine/app/index.ts";
import type { OpenSession } from "../server.ts";
import type { SandboxServer } from "../world-of-session.ts";

/** What the sandbox provides: its address, ids, and the removal of a world. */
interface Needs {
  sandbox(): SandboxServer;
  /** Its id names the world that it begins with. */
  newSessionId(world: string): string;
  newWorldId(): string;
  /** False: it may be on another node. */
  removeWorld(id: string): boolean;
  most?: number;
  idleMs?: number;
}

interface Held extends OpenSession {
  /** The account that began it. */
  account: string | undefined;
  used: number;
  /** Messages without a response yet. */
  busy: number;
  /** A message that still waits when the session ends gets no response. */
  ended: Promise<void>;
  letGo(): void;
}

/** Sessions at a time; each has a world in memory. */
const MAX_SESSIONS = 32;
/** Without a message for this time, a session ends. */
const IDLE_MS = 30 * 60_000;
/** A sandbox that stops does not wait longer. */
const REMOVAL_MS = 2000;
/** A session that is silent for this time makes room for a new one. */
const QUIET_MS = 60_000;

/** Responses are statuses and bodies; the transport writes them. */
export const makeSessions = (needs: Needs): McpSessions => new Sessions(needs);

class Sessions implements McpSessions {
  readonly #needs: Needs;
  readonly #most: number;
  readonly #idleMs: number;
  readonly #held = new Map<string, Held>();
  #opening = 0;
  #isClosed = false;
  #sweep: NodeJS.Timeout | undefined;

  constructor(needs: Needs) {
    this.#needs = needs;
    this.#most = needs.most ?? MAX_SESSIONS;
    this.#idleMs = needs.idleMs ?? IDLE_MS;
  }

  async ask(call: McpMessage): Promise<McpAnswer> {
    if (call.session !== undefined) return this.#handle(call.session, call);
    if (!isInitialize(call.body))
      return { status: 400, rejection: "There is no header mcp-session-id. Send initialize first." };
    // Nothing yields between this and the opening: other requests may arrive.
    const room = this.#findRoom();
    if (!room) return { status: 503, rejection: `There are ${this.#most} sessions, and all are in use. ${LATER}` };
    // If no world could be made, the reason of the sandbox is the response.
    const id = await this.#open(call, room).catch((reason: Error) => reason);
    if (id instanceof Error) return { status: 503, rejection: `No session could begin. ${id.message}` };
    const answered = await this.#handle(id, call);
    if (answered.rejection === undefined) return answered;
    // A rejected greeting leaves no session and no world behind.
    await this.#end(id);
    return { status: answered.status, rejection: GREETING };
  }

  async end(id: string, account?: string): Promise<boolean> {
    const session = this.#held.get(id);
    return session !== undefined && isFor(session, account) && this.#end(id);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#held.keys()].map((id) => this.#end(id)));
  }

  async #end(id: string): Promise<boolean> {
    const session = this.#held.get(id);
    if (!session) return false;
    // Before the first wait, so that ending twice does nothing.
    this.#held.delete(id);
    if (this.#held.size === 0) clearInterval(this.#sweep);
    // Closing may wait for a response, so those that wait are let go first.
    session.letGo();
    await session.close();
    const { removeWorld } = this.#needs;
    await Promise.all(session.own().map((world) => removeWorld(world) || this.#removeElsewhere(world)));
    return true;
  }

  async #removeElsewhere(world: string): Promise<void> {
    const { removeWorldAt } = await import("../index.ts");
    // With the token of the sandbox: that of the session may have expired. If no node responds, the world stays.
    await removeWorldAt(this.#needs.sandbox(), world, AbortSignal.timeout(REMOVAL_MS)).catch(() => undefined);
  }

  #endSilent(): void {
    for (const [id, session] of this.#held) if (measureSilence(session) >= this.#idleMs) void this.#end(id);
  }

  /** Undefined if there is no room for another session. `by`: the session that makes room, which was silent longest. */
  #findRoom(): { by?: string } | undefined {
    // Those that are being opened wait for a world, and keep their place.
    if (this.#held.size + this.#opening < this.#most) return {};
    const [longest] = [...this.#held].sort(([, a], [, b]) => measureSilence(b) - measureSilence(a));
    if (!longest || measureSilence(longest[1]) < Math.min(QUIET_MS, this.#idleMs)) return undefined;
    return { by: longest[0] };
  }

  async #open({ world: named, token, account }: McpMessage, { by }: { by?: string }): Promise<string> {
    const { sandbox, newSessionId, newWorldId } = this.#needs;
    // Counted before the first wait.
    this.#opening++;
    try {
      if (by !== undefined) await this.#end(by);
      const { openSession } = await import("../index.ts");
      // The id of the session names the world, so the world's id is chosen before it is made.
      const own = named === undefined ? [newWorldId()] : [];
      const id = newSessionId(named ?? (own[0] as string));
      const session = await openSession(token === undefined ? sandbox() : { ...sandbox(), controlToken: token }, {
        id,
        named,
        newWorldId: () => own.pop() ?? newWorldId(),
      });
      let letGo = () => {};
      const ended = new Promise<void>((resolve) => (letGo = resolve));
      this.#held.set(id, { ...session, account, used: performance.now(), busy: 0, ended, letGo });
      // The sandbox may have stopped since the opening began.
      if (this.#isClosed) await this.#end(id);
      else if (this.#held.size === 1)
        this.#sweep = setInterval(() => this.#endSilent(), Math.min(this.#idleMs, QUIET_MS)).unref();
      return id;
    } finally {
      this.#opening--;
    }
  }

  async #handle(id: string, { body, protocol, account }: McpMessage): Promise<McpAnswer> {
    const session = this.#held.get(id);
    const gone = { status: 404, rejection: `There is no session ${id.slice(0, 120)}. ${AGAIN}` };
    if (!session || !isFor(session, account)) return gone;
    session.busy++;
    try {
      const headers = { ...ACCEPTING, "mcp-session-id": id, ...(protocol ? { "mcp-protocol-version": protocol } : {}) };
      const request = new Request("http://sandbox/_sandbox/mcp", { method: "POST", headers });
      const response = await Promise.race([session.handle(request, body), session.ended]);
      if (!response) return gone;
      // The response to a notification has an empty body.
      const text = await response.text();
      const value: unknown = text === "" ? undefined : JSON.parse(text);
      if (!response.ok) return { status: response.status, rejection: readMessage(value) };
      return { status: response.status, session: id, body: value };
    } finally {
      session.busy--;
      session.used = performance.now();
    }
  }
}

/** In milliseconds. A session with a message in progress is never silent. */
const measureSilence = ({ used, busy }: Held): number => (busy > 0 ? 0 : performance.now() - used);

/** Without an account, the caller is the operator, who may use all. */
const isFor = (session: Held, account: string | undefined): boolean =>
  account === undefined || session.account === account;

const AGAIN =
  "It has ended, or the sandbox has been restarted. Send initialize again, without the header mcp-session-id.";
const LATER = "End one with DELETE, or try again in a minute: one that is silent until then makes room.";
const GREETING = "initialize takes params with protocolVersion, capabilities and clientInfo. Send it with all of them.";
/** The response is always JSON; a simple client may not say that it accepts it. */
const ACCEPTING = { accept: "application/json, text/event-stream", "content-type": "application/json" };

const isInitialize = (body: unknown): boolean => (body as { method?: unknown } | undefined)?.method === "initialize";

const readMessage = (value: unknown): string =>
  (value as { error?: { message?: string } } | undefined)?.error?.message ?? "The message can't be taken.";

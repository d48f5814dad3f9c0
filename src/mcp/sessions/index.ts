// The sessions of a running sandbox: so many at once, each ended when its client says so, when it has been silent for long, or with
// the sandbox; then its worlds are removed. The protocol itself is loaded with the first session.
import type { McpAnswer, McpMessage, McpSessions } from "../../engine/app/index.ts";
import type { OpenSession } from "../server.ts";
import type { SandboxServer } from "../world-of-session.ts";

/** What the sandbox lends: where it is, ids, and the removal of a world. */
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
  /** Of whoever began it. */
  account: string | undefined;
  used: number;
  /** Messages that are being answered. */
  busy: number;
  /** Who still waits for an answer when the session ends gets none of it. */
  ended: Promise<void>;
  letGo(): void;
}

/** Sessions at once; each has a world in memory. */
const MOST = 32;
/** After so long without a message a session has ended, and its world is gone. */
const IDLE_MS = 30 * 60_000;
/** A sandbox that stops does not wait for longer. */
const REMOVAL_MS = 2000;
/** Who has been silent for so long makes room for somebody new. */
const QUIET_MS = 60_000;

/** Answers are statuses and bodies; the transport writes them. */
export function makeSessions({
  sandbox,
  newSessionId,
  newWorldId,
  removeWorld,
  most = MOST,
  idleMs = IDLE_MS,
}: Needs): McpSessions {
  const held = new Map<string, Held>();
  let opening = 0;
  let closed = false;
  let sweep: NodeJS.Timeout | undefined;

  // One that is answering is never silent, however long its answer takes.
  const silentFor = ({ used, busy }: Held) => (busy > 0 ? 0 : performance.now() - used);

  // The operator, or nobody to tell apart, may use all.
  const isFor = (session: Held, account: string | undefined) => account === undefined || session.account === account;

  async function end(id: string): Promise<boolean> {
    const session = held.get(id);
    if (!session) return false;
    // Before anything is waited for, so that ending twice does nothing.
    held.delete(id);
    if (held.size === 0) clearInterval(sweep);
    // Who waits for an answer is let go first: closing may wait for that answer.
    session.letGo();
    await session.close();
    await Promise.all(session.own().map((world) => removeWorld(world) || removeElsewhere(world)));
    return true;
  }

  async function removeElsewhere(world: string): Promise<void> {
    const { removeWorldAt } = await import("../index.ts");
    // As the sandbox: the token of the session may have expired. Where nobody answers the world stays.
    await removeWorldAt(sandbox(), world, AbortSignal.timeout(REMOVAL_MS)).catch(() => undefined);
  }

  function endSilent(): void {
    for (const [id, session] of held) if (silentFor(session) >= idleMs) void end(id);
  }

  /** Undefined: there is no room for another one. `by`: the session that makes it, which was silent longest. */
  function room(): { by?: string } | undefined {
    // Those that are being opened count: they wait for a world, and hold their place meanwhile.
    if (held.size + opening < most) return {};
    const [longest] = [...held].sort(([, a], [, b]) => silentFor(b) - silentFor(a));
    if (!longest || silentFor(longest[1]) < Math.min(QUIET_MS, idleMs)) return undefined;
    return { by: longest[0] };
  }

  async function open({ world: named, token, account }: McpMessage, { by }: { by?: string }): Promise<string> {
    // Counted before the first wait.
    opening++;
    try {
      if (by !== undefined) await end(by);
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
      held.set(id, { ...session, account, used: performance.now(), busy: 0, ended, letGo });
      // The sandbox was stopped while this one was being opened.
      if (closed) await end(id);
      else if (held.size === 1) sweep = setInterval(endSilent, Math.min(idleMs, QUIET_MS)).unref();
      return id;
    } finally {
      opening--;
    }
  }

  async function handle(id: string, { body, protocol, account }: McpMessage): Promise<McpAnswer> {
    const session = held.get(id);
    const gone = { status: 404, rejection: `There is no session ${id.slice(0, 120)}. ${ANEW}` };
    if (!session || !isFor(session, account)) return gone;
    session.busy++;
    try {
      const headers = { ...ACCEPTING, "mcp-session-id": id, ...(protocol ? { "mcp-protocol-version": protocol } : {}) };
      const request = new Request("http://sandbox/_sandbox/mcp", { method: "POST", headers });
      // A session that is ended answers 404 to whoever still waits.
      const response = await Promise.race([session.handle(request, body), session.ended]);
      if (!response) return gone;
      // A notification is answered with an empty body.
      const text = await response.text();
      const value: unknown = text === "" ? undefined : JSON.parse(text);
      if (!response.ok) return { status: response.status, rejection: sentenceIn(value) };
      return { status: response.status, session: id, body: value };
    } finally {
      session.busy--;
      session.used = performance.now();
    }
  }

  return {
    async ask(call) {
      if (call.session !== undefined) return handle(call.session, call);
      if (!isInitialize(call.body))
        return { status: 400, rejection: "There is no header mcp-session-id. Send initialize first." };
      // Nothing is waited for between the look and the opening: others may ask meanwhile.
      const there = room();
      if (!there) return { status: 503, rejection: `There are ${most} sessions, and all are in use. ${LATER}` };
      // Where no world could be made, the reason of the sandbox is the answer.
      const id = await open(call, there).catch((reason: Error) => reason);
      if (id instanceof Error) return { status: 503, rejection: `No session could begin. ${id.message}` };
      const answered = await handle(id, call);
      if (answered.rejection === undefined) return answered;
      // A greeting that was refused leaves no session and no world behind.
      await end(id);
      return { status: answered.status, rejection: GREETING };
    },
    async end(id, account) {
      const session = held.get(id);
      return session !== undefined && isFor(session, account) && end(id);
    },
    async close() {
      closed = true;
      await Promise.all([...held.keys()].map(end));
    },
  };
}

const ANEW =
  "It has ended, or the sandbox has been restarted. Send initialize again, without the header mcp-session-id.";
const LATER = "End one with DELETE, or try again in a minute: one that is silent until then makes room.";
const GREETING = "initialize takes params with protocolVersion, capabilities and clientInfo. Send it with all of them.";
/** Always answered with JSON, whatever a simple client says that it takes. */
const ACCEPTING = { accept: "application/json, text/event-stream", "content-type": "application/json" };

const isInitialize = (body: unknown): boolean => (body as { method?: unknown } | undefined)?.method === "initialize";

const sentenceIn = (value: unknown): string =>
  (value as { error?: { message?: string } } | undefined)?.error?.message ?? "The message can't be taken.";

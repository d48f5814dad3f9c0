// A client on stdin and stdout, handed on to a running sandbox: whatever ends this process, the sandbox removes the world in the end.
// A sandbox that is restarted is greeted anew, and whoever calls tools is told.
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { isJSONRPCRequest, type JSONRPCMessage, type JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js";
import { sendRequest } from "../platform/send-request.ts";
import { type InvalidLine, readMessages } from "./message-lines.ts";

interface Target {
  url: string;
  controlToken: string | undefined;
  /** A world that is there, to work in instead of one of its own. */
  world: string | undefined;
}

interface Speaking {
  /** When the client has gone, and what it had sent is answered. */
  gone: Promise<unknown>;
  close(): Promise<void>;
}

/** More often than a silent session is ended. */
const STILL_HERE_MS = 5 * 60_000;
/** How long the end waits for a sandbox that may be gone. */
const PATIENCE_MS = 2000;
/** How long a client that has closed its side is still answered. */
const ANSWERS_MS = 60_000;
/** Ids of our own requests, whose answers the client must not see. */
const OURS = "stdio-";
const NEW_WORLD = "The sandbox was restarted, so you have a new world: call overview for its credentials.\n\n";

/** Stdout belongs to the protocol from here on. Rejects if the transport can't begin. */
export async function speakOnStdio(target: Target): Promise<Speaking> {
  const relay = new StdioRelay(target);
  await relay.connect();
  return { gone: relay.readAll(), close: () => relay.close() };
}

class StdioRelay {
  readonly #target: Target;
  readonly #waiting = new Map<string, () => void>();
  readonly #passing = new Set<Promise<void>>();
  // A model may think for an hour; a ping keeps its world.
  readonly #ping = setInterval(() => this.#keepAlive(), STILL_HERE_MS).unref();
  #sandbox!: StreamableHTTPClientTransport;
  /** The client greets once; the message is sent again after a restart of the sandbox. */
  #greeting: JSONRPCRequest | undefined;
  #renewing: Promise<void> | undefined;
  /** Until the response to the greeting there is no session. */
  #greeted: Promise<void> | undefined;
  /** A model has to learn that its world is a new one, and only the result of a tool reaches it. */
  #news = "";
  #sent = 0;

  constructor(target: Target) {
    this.#target = target;
  }

  async connect(): Promise<void> {
    const { url, controlToken, world } = this.#target;
    const headers = {
      ...(controlToken ? { authorization: `Bearer ${controlToken}` } : {}),
      ...(world === undefined ? {} : { "sandbox-world": encodeURIComponent(world) }),
    };
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/_sandbox/mcp`), {
      requestInit: { headers },
      fetch: sendRequest,
    });
    transport.onmessage = (message) => {
      const id = "id" in message ? String(message.id) : "";
      // The client must not see responses to our own requests.
      if (this.#waiting.has(id)) this.#waiting.get(id)?.();
      else sendToClient(this.#addNews(message));
    };
    await transport.start();
    this.#sandbox = transport;
  }

  /** Resolves when the client has gone, and what it had sent has its responses. */
  async readAll(): Promise<void> {
    for await (const line of readMessages(process.stdin))
      if ("message" in line) this.#passOn(line.message);
      else sendToClient(line.response);
    await Promise.race([Promise.all(this.#passing), wait(ANSWERS_MS)]);
  }

  async close(): Promise<void> {
    clearInterval(this.#ping);
    const ended = (this.#greeted ?? Promise.resolve()).then(() => this.#sandbox.terminateSession());
    await Promise.race([ended.catch(() => undefined), wait(PATIENCE_MS)]);
    await this.#sandbox.close();
  }

  #keepAlive(): void {
    if (this.#greeting) this.#request({ method: "ping" }).catch(() => undefined);
  }

  #addNews(message: JSONRPCMessage): JSONRPCMessage {
    const [first] = (message as { result?: { content?: { text: string }[] } }).result?.content ?? [];
    if (first) [first.text, this.#news] = [`${this.#news}${first.text}`, ""];
    return message;
  }

  /** Sends a request of ours; its response does not matter. */
  async #request(request: { method: string; params?: object }): Promise<void> {
    const id = `${OURS}${++this.#sent}`;
    const answered = new Promise<void>((resolve) => this.#waiting.set(id, resolve));
    await this.#sandbox.send({ jsonrpc: "2.0", id, ...request } as JSONRPCRequest);
    await answered.finally(() => this.#waiting.delete(id));
  }

  async #renew(): Promise<void> {
    await this.connect();
    if (!this.#greeting) return;
    const { method, params } = this.#greeting;
    await this.#request({ method, ...(params ? { params } : {}) });
    // The protocol wants it after every greeting.
    await this.#sandbox.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    if (this.#target.world === undefined) this.#news = NEW_WORLD;
  }

  async #pass(message: JSONRPCMessage): Promise<void> {
    if (isJSONRPCRequest(message) && message.method === "initialize") {
      this.#greeting = message;
      this.#greeted = this.#deliver(message);
      return this.#greeted;
    }
    // The response to the greeting reports its failure.
    await this.#greeted?.catch(() => undefined);
    return this.#deliver(message);
  }

  async #deliver(message: JSONRPCMessage): Promise<void> {
    await this.#renewing;
    try {
      await this.#sandbox.send(message);
    } catch (error) {
      // 404 is how the sandbox says that it does not know the session.
      if ((error as { code?: unknown }).code !== 404) throw error;
      // Several messages may fail at once; one greeting serves them all.
      this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined));
      await this.#renewing;
      await this.#sandbox.send(message);
    }
  }

  #passOn(message: JSONRPCMessage): void {
    const passed = this.#pass(message)
      .catch((error) => {
        if (isJSONRPCRequest(message)) sendToClient(failure(message, sentenceOf(error, this.#target.url)));
      })
      .finally(() => this.#passing.delete(passed));
    this.#passing.add(passed);
  }
}

function sendToClient(message: JSONRPCMessage | InvalidLine["response"]): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

const wait = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms).unref());

/**
 * A tool that failed can be tried again; anything else is answered as not available. An error of a tool
 * reaches the model, an error of the protocol only the client.
 */
function failure({ id, method }: JSONRPCRequest, text: string): JSONRPCMessage {
  if (method === "tools/call")
    return { jsonrpc: "2.0", id, result: { content: [{ type: "text", text }], isError: true } };
  return { jsonrpc: "2.0", id, error: { code: -32000, message: text } };
}

function sentenceOf(error: unknown, url: string): string {
  const { code, message } = error as { code?: unknown; message: string };
  // The transport puts the body of the answer into its message; the sentence is in there.
  if (typeof code === "number") return /"message":"((?:[^"\\]|\\.)*)"/.exec(message)?.[1] ?? message;
  return `No sandbox answers at ${url}. Start it again with \`sandbox start\`, then call this once more.`;
}

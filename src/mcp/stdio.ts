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

/** Stdout belongs to the protocol from here on. Rejects where the transport can't begin. */
export async function speakOnStdio(target: Target): Promise<Speaking> {
  const waiting = new Map<string, () => void>();
  let sandbox = await connect();
  // The client greets once; what it said is needed again when the sandbox was restarted.
  let greeting: JSONRPCRequest | undefined;
  let renewing: Promise<void> | undefined;
  // Until it is answered nobody knows the session.
  let greeted: Promise<void> | undefined;
  const passing = new Set<Promise<void>>();
  // A model has to learn that its world is a new one, and only the answer of a tool reaches it.
  let [news, sent] = ["", 0];

  async function connect(): Promise<StreamableHTTPClientTransport> {
    const headers = {
      ...(target.controlToken ? { authorization: `Bearer ${target.controlToken}` } : {}),
      ...(target.world === undefined ? {} : { "sandbox-world": encodeURIComponent(target.world) }),
    };
    const transport = new StreamableHTTPClientTransport(new URL(`${target.url}/_sandbox/mcp`), {
      requestInit: { headers },
      fetch: sendRequest,
    });
    transport.onmessage = (message) => {
      const id = "id" in message ? String(message.id) : "";
      // An answer to a request of ours is swallowed.
      if (waiting.has(id)) waiting.get(id)?.();
      else sendToClient(withNews(message));
    };
    await transport.start();
    return transport;
  }

  function withNews(message: JSONRPCMessage): JSONRPCMessage {
    const [first] = (message as { result?: { content?: { text: string }[] } }).result?.content ?? [];
    if (first) [first.text, news] = [`${news}${first.text}`, ""];
    return message;
  }

  /** A request of ours; what it is answered does not matter. */
  async function say(request: { method: string; params?: object }): Promise<void> {
    const id = `${OURS}${++sent}`;
    const answered = new Promise<void>((resolve) => waiting.set(id, resolve));
    await sandbox.send({ jsonrpc: "2.0", id, ...request } as JSONRPCRequest);
    await answered.finally(() => waiting.delete(id));
  }

  async function greetAnew(): Promise<void> {
    sandbox = await connect();
    if (!greeting) return;
    await say({ method: greeting.method, ...(greeting.params ? { params: greeting.params } : {}) });
    // The protocol wants it after every greeting.
    await sandbox.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    if (target.world === undefined) news = NEW_WORLD;
  }

  async function pass(message: JSONRPCMessage): Promise<void> {
    if (isJSONRPCRequest(message) && message.method === "initialize") {
      greeting = message;
      greeted = deliver(message);
      return greeted;
    }
    // Whether it failed is the answer to the greeting.
    await greeted?.catch(() => undefined);
    return deliver(message);
  }

  async function deliver(message: JSONRPCMessage): Promise<void> {
    await renewing;
    try {
      await sandbox.send(message);
    } catch (error) {
      // 404 is how the sandbox says that it does not know the session.
      if ((error as { code?: unknown }).code !== 404) throw error;
      // Several messages may fail at once; one greeting serves them all.
      renewing ??= greetAnew().finally(() => (renewing = undefined));
      await renewing;
      await sandbox.send(message);
    }
  }

  function passOn(message: JSONRPCMessage): void {
    const passed = pass(message)
      .catch((error) => {
        if (isJSONRPCRequest(message)) sendToClient(failure(message, sentenceOf(error, target.url)));
      })
      .finally(() => passing.delete(passed));
    passing.add(passed);
  }

  async function readAll(): Promise<void> {
    for await (const line of readMessages(process.stdin))
      if ("message" in line) passOn(line.message);
      else sendToClient(line.response);
  }

  // A model may think for an hour; a ping keeps its world.
  const beat = setInterval(
    () => greeting && void say({ method: "ping" }).catch(() => undefined),
    STILL_HERE_MS,
  ).unref();
  const gone: Promise<unknown> = readAll().then(() => Promise.race([Promise.all(passing), wait(ANSWERS_MS)]));
  return {
    gone,
    async close() {
      clearInterval(beat);
      const ended = (greeted ?? Promise.resolve()).then(() => sandbox.terminateSession());
      await Promise.race([ended.catch(() => undefined), wait(PATIENCE_MS)]);
      await sandbox.close();
    },
  };
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

// Connects a client on stdin and stdout to a running sandbox, which removes the world when this process ends in any way. After a restart
// of the sandbox it initializes a new session and notifies the model.
import type { Readable } from "node:stream";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type JSONRPCRequest,
} from "@modelcontextprotocol/sdk/types.js";
import { sendRequest } from "../platform/send-request.ts";

interface Target {
  url: string;
  controlToken: string | undefined;
  /** An existing world to use instead of a new one. */
  world: string | undefined;
}

/** The interval is shorter than the time after which a silent session ends. */
const PING_INTERVAL_MS = 5 * 60_000;
/** The maximum wait for the sandbox, which may have stopped, when the connection closes. */
const MAX_CLOSE_MS = 2000;
/** The maximum wait for pending responses after the client has closed its side. */
const MAX_DRAIN_MS = 60_000;
/** The prefix of the relay's own request ids, whose responses the client must not see. */
const OWN_ID_PREFIX = "experience-sandbox-relay-";
const NEW_WORLD = "The sandbox was restarted, so you have a new world: call overview for its credentials.\n\n";

/**
 * Reserves stdout for the protocol. Rejects if the transport can't start. `closed` resolves when the client has disconnected and its requests
 * have responses.
 */
export async function connectStdio(target: Target) {
  const relay = new StdioRelay(target);
  await relay.connect();
  return { closed: relay.readAll(), close: () => relay.close() };
}

class StdioRelay {
  readonly #target: Target;
  readonly #pending = new Set<Promise<void>>();
  // A ping keeps the world alive while the model is silent.
  readonly #ping = setInterval(() => {
    if (this.#initializeRequest) this.#request({ method: "ping" }).catch(() => undefined);
  }, PING_INTERVAL_MS).unref();
  #sandbox!: StreamableHTTPClientTransport;
  /** The client's `initialize` message, which is sent again after a restart of the sandbox. */
  #initializeRequest: JSONRPCRequest | undefined;
  #renewing: Promise<void> | undefined;
  /** Resolves with the response to `initialize`. Before it, there is no session. */
  #initialized: Promise<void> | undefined;
  /** The notice about a new world, which is added to a tool result because only those reach the model. */
  #notice = "";
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
      const isOwn = "id" in message && String(message.id).startsWith(OWN_ID_PREFIX);
      if (!isOwn) sendToClient(this.#addNotice(message));
    };
    await transport.start();
    this.#sandbox = transport;
  }

  /** Resolves when the client has disconnected and its requests have responses. */
  async readAll(): Promise<void> {
    for await (const line of readMessages(process.stdin))
      if ("message" in line) this.#forward(line.message);
      else sendToClient(line.response);
    await Promise.race([Promise.all(this.#pending), wait(MAX_DRAIN_MS)]);
  }

  async close(): Promise<void> {
    clearInterval(this.#ping);
    const ended = (this.#initialized ?? Promise.resolve()).then(() => this.#sandbox.terminateSession());
    await Promise.race([ended.catch(() => undefined), wait(MAX_CLOSE_MS)]);
    await this.#sandbox.close();
  }

  #addNotice(message: JSONRPCMessage): JSONRPCMessage {
    const [first] = (message as { result?: { content?: { text: string }[] } }).result?.content ?? [];
    if (!first) return message;
    first.text = `${this.#notice}${first.text}`;
    this.#notice = "";
    return message;
  }

  /** Sends a request of the relay, and resolves after its response. */
  #request(request: Omit<JSONRPCRequest, "jsonrpc" | "id">): Promise<void> {
    return this.#sandbox.send({ jsonrpc: "2.0", id: `${OWN_ID_PREFIX}${++this.#sent}`, ...request });
  }

  async #renew(): Promise<void> {
    await this.connect();
    if (!this.#initializeRequest) return;
    const { method, params } = this.#initializeRequest;
    await this.#request({ method, ...(params ? { params } : {}) });
    // The protocol requires this notification after `initialize`.
    await this.#sandbox.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    if (this.#target.world === undefined) this.#notice = NEW_WORLD;
  }

  async #sendInOrder(message: JSONRPCMessage): Promise<void> {
    if (isJSONRPCRequest(message) && message.method === "initialize") {
      this.#initializeRequest = message;
      this.#initialized = this.#send(message);
      return this.#initialized;
    }
    // The response to `initialize` already reports its failure.
    await this.#initialized?.catch(() => undefined);
    return this.#send(message);
  }

  async #send(message: JSONRPCMessage): Promise<void> {
    await this.#renewing;
    try {
      await this.#sandbox.send(message);
    } catch (error) {
      // The sandbox responds with 404 if it does not know the session.
      if ((error as { code?: unknown }).code !== 404) throw error;
      // Several messages may fail at the same time; they share one new session.
      this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined));
      await this.#renewing;
      await this.#sandbox.send(message);
    }
  }

  #forward(message: JSONRPCMessage): void {
    const passed = this.#sendInOrder(message)
      .catch((error) => {
        if (isJSONRPCRequest(message)) sendToClient(toErrorResponse(message, toErrorMessage(error, this.#target.url)));
      })
      .finally(() => this.#pending.delete(passed));
    this.#pending.add(passed);
  }
}

function sendToClient(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

const wait = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms).unref());

/** Returns the failure of a tool call as a result, because a protocol error reaches only the client and not the model. */
function toErrorResponse({ id, method }: JSONRPCRequest, text: string): JSONRPCMessage {
  if (method === "tools/call")
    return { jsonrpc: "2.0", id, result: { content: [{ type: "text", text }], isError: true } };
  return { jsonrpc: "2.0", id, error: { code: -32000, message: text } };
}

function toErrorMessage(error: unknown, url: string): string {
  const { code, message } = error as { code?: unknown; message: string };
  // The transport appends the body of the response to its error message.
  if (typeof code === "number") return /"message":"((?:[^"\\]|\\.)*)"/.exec(message)?.[1] ?? message;
  return `No sandbox answers at ${url}. Start it again with \`sandbox start\`, then call the tool again.`;
}

// Messages of the client are lines of JSON-RPC. The SDK's transport is not used, because it copies all bytes of an unfinished line with each
// chunk, ignores invalid lines, and stops reading after a long line.

/** The limit of one line in bytes. The largest input of any tool is much smaller. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

/** A line that is not a message has an error response for the client. */
type IncomingLine = { message: JSONRPCMessage } | { response: object };

/** Yields every line in order, including a last line without a line feed. Ends with the input, even if the input fails. */
async function* readMessages(input: Readable): AsyncGenerator<IncomingLine> {
  for await (const line of readLines(input)) {
    // Some clients end a message with an empty line.
    if (line === undefined) yield toInvalidLine(PARSE_ERROR, `The line is longer than ${MAX_LINE_BYTES} bytes.`);
    else if (line.trim() !== "") yield parseLine(line);
  }
}

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const NO_MESSAGE =
  'The line is not a JSON-RPC message. Send an object with "jsonrpc": "2.0", a method, and an id that is a text or an integer.';

function parseLine(line: string): IncomingLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    const { message } = error as Error;
    return toInvalidLine(PARSE_ERROR, `The line is not JSON: ${message}. Send one message in each line.`);
  }
  const { success, data: message } = JSONRPCMessageSchema.safeParse(value);
  if (success) return { message };
  const { id } = (value ?? {}) as { id?: unknown };
  const isId = typeof id === "string" || typeof id === "number";
  return toInvalidLine(INVALID_REQUEST, NO_MESSAGE, isId ? id : null);
}

const toInvalidLine = (code: number, message: string, id: string | number | null = null): IncomingLine => ({
  response: { jsonrpc: "2.0", id, error: { code, message } },
});

/** Yields undefined for a line that exceeds the limit, whose text is dropped. */
async function* readLines(input: Readable): AsyncGenerator<string | undefined> {
  let pieces: Buffer[] = [];
  let size = 0;
  const endLine = () => {
    const line = size > MAX_LINE_BYTES ? undefined : Buffer.concat(pieces).toString();
    [pieces, size] = [[], 0];
    return line;
  };
  try {
    for await (const chunk of input) {
      for (let start = 0; start <= chunk.length; ) {
        const end = chunk.indexOf("\n", start);
        const piece = chunk.subarray(start, end < 0 ? chunk.length : end);
        size += piece.length;
        if (size <= MAX_LINE_BYTES) pieces.push(piece);
        else pieces = [];
        if (end < 0) break;
        yield endLine();
        start = end + 1;
      }
    }
  } catch {
    // A killed client may close the pipe without ending it, which counts as the end of the input.
  }
  yield endLine();
}

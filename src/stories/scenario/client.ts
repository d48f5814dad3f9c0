// The only file of the player that sends requests: to the service as an integrator would. What the control surface answers is put
// into the same form.
import type { IncomingMessage } from "node:http";
import type { HttpOutcome } from "../../client/control.ts";
import type { Json } from "../../platform/json.ts";
import { createClientRequest } from "../../platform/send-request.ts";

export interface Received<Body = Json> {
  /** Null when the connection broke. */
  status: number | null;
  headers: Record<string, string>;
  /** Of a success; an error response has a body of its own. */
  body: Body;
  /** Why there is no response. */
  error?: string;
}

interface Sent {
  method: string;
  url: string;
  headers?: Record<string, string>;
  body?: string | undefined;
  signal?: AbortSignal;
}

/** The sandbox can't be used for playing: it does not answer, or not as one. */
export class SandboxUnreachable extends Error {
  /** For programs; that of the sandbox where it has refused. */
  readonly code: string;
  constructor(message: string, code = "FAILED") {
    super(message);
    this.code = code;
  }
}

/** Never rejects: a broken connection is an answer of a story, with `status` null. */
export async function ask({ headers, ...sent }: Sent): Promise<Received> {
  try {
    const { response, text } = await send({ headers: headers ?? {}, ...sent });
    const pairs = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
    return { status: response.statusCode ?? 0, headers: Object.fromEntries(pairs), body: parseResponse(text) };
  } catch (reason) {
    return { status: null, headers: {}, body: null, error: explainLoss(reason) };
  }
}

/** Not fetch, which would add headers that a story may want to leave out, Accept-Language among them. */
function send({ method, url, headers, body, ...stop }: Sent): Promise<{ response: IncomingMessage; text: string }> {
  return new Promise((resolve, reject) => {
    const sized = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const request = createClientRequest(new URL(url), { method, headers: { ...headers, ...sized }, ...stop });
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => resolve({ response, text: Buffer.concat(chunks).toString("utf8") }));
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** One sentence for a connection that broke, the same in every run. */
function explainLoss(reason: unknown): string {
  if (reason instanceof SyntaxError) return "the response is not JSON";
  const { code, cause, message } = reason as Error & { code?: string; cause?: { code?: string } };
  // Node refuses a request that HTTP has no form for.
  if (reason instanceof TypeError && code?.startsWith("ERR_")) return `nothing was sent: ${message}`;
  return isAbsent(code ?? cause?.code) ? "nothing listens there" : "the connection broke";
}

const isAbsent = (code: string | undefined): boolean => code === "ECONNREFUSED" || code === "ENOTFOUND";

function parseResponse(text: string): Json {
  if (text === "") return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** A call of the control surface as a response like any other: an error response is part of the story. */
export async function receive<T>(call: Promise<HttpOutcome<T>>): Promise<Received<T>> {
  try {
    const { data, error, response } = await call;
    const body = (data ?? error ?? null) as T;
    return { status: response.status, headers: Object.fromEntries(response.headers), body };
  } catch (reason) {
    return { status: null, headers: {}, body: null as T, error: explainLoss(reason) };
  }
}

/** The body of a response that has to be a success; otherwise no scenario can be played in the sandbox. */
export async function must<T>(response: Promise<Received<T>>, what: string): Promise<T> {
  const { status, body, error } = await response;
  if (status !== null && status < 300) return body;
  const { message, code } = (body ?? {}) as { message?: string; code?: string };
  const sentence = message ?? error ?? "nothing";
  if (status === null)
    throw new SandboxUnreachable(
      `${what} does not answer: ${sentence}. Start one with \`sandbox start\`, or name its address.`,
      "SANDBOX_UNREACHABLE",
    );
  throw new SandboxUnreachable(`${what} was answered with ${status}: ${sentence}`, code);
}

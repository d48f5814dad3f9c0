// Sends the requests of the player, to the service as an integrator would. Responses of the control API are converted to the same form.
import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import type { HttpOutcome } from "../../client/control.ts";
import { type Json, parseJson } from "../../platform/json.ts";
import { createClientRequest } from "../../platform/send-request.ts";

export interface Received<Body = Json> {
  /** Null when the connection broke. */
  status: number | null;
  headers: Record<string, string>;
  /** The body of a success; an error response has another form. */
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

/** The sandbox can't be used: it does not respond, or another program does. */
export class SandboxUnreachable extends Error {
  /** The code for programs: that of the sandbox if it rejected the request. */
  readonly code: string;
  constructor(message: string, code = "FAILED") {
    super(message);
    this.code = code;
  }
}

/** Does not reject, because a scenario can expect a broken connection, with `status` null. */
export async function ask({ headers, ...sent }: Sent): Promise<Received> {
  try {
    const { response, text } = await send({ headers: headers ?? {}, ...sent });
    const pairs = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
    const body = text === "" ? null : (parseJson(text) as Json);
    return { status: response.statusCode ?? 0, headers: Object.fromEntries(pairs), body };
  } catch (reason) {
    return { status: null, headers: {}, body: null, error: explainLoss(reason) };
  }
}

/** Does not use `fetch`, which adds headers such as Accept-Language that a scenario may want to omit. */
function send({ method, url, headers, body, ...stop }: Sent): Promise<{ response: IncomingMessage; text: string }> {
  return new Promise((resolve, reject) => {
    const sized = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const request = createClientRequest(new URL(url), { method, headers: { ...headers, ...sized }, ...stop });
    request.on("response", (response) => {
      buffer(response).then((bytes) => resolve({ response, text: bytes.toString() }), reject);
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** Returns a sentence about a broken connection that is the same in every run. */
function explainLoss(reason: unknown): string {
  if (reason instanceof SyntaxError) return "the response is not JSON";
  const { code, cause, message } = reason as Error & { code?: string; cause?: { code?: string } };
  // Node rejects a request that is invalid in HTTP.
  if (reason instanceof TypeError && code?.startsWith("ERR_")) return `nothing was sent: ${message}`;
  return /^(ECONNREFUSED|ENOTFOUND)$/.test(code ?? cause?.code ?? "")
    ? "nothing listens there"
    : "the connection broke";
}

/** Converts a response of the control API, including an error response, which a scenario can expect. */
export async function receive<T>(call: Promise<HttpOutcome<T>>): Promise<Received<T>> {
  try {
    const { data, error, response } = await call;
    const body = (data ?? error ?? null) as T;
    return { status: response.status, headers: Object.fromEntries(response.headers), body };
  } catch (reason) {
    return { status: null, headers: {}, body: null as T, error: explainLoss(reason) };
  }
}

/** Returns the body of a response that must be a success, because otherwise no scenario can run in the sandbox. */
export async function requireOk<T>(response: Promise<Received<T>>, what: string): Promise<T> {
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

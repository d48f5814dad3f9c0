// A client of a running sandbox for a command: the typed client of the control surface, with every failure in one sentence.
import { parseSandboxAddress, suggestAddress } from "../client/address.ts";
import type { Control, HttpOutcome, Schemas } from "../client/control.ts";
import { createControl } from "../client/create-control.ts";
import { toExcerpt } from "../engine/settings.ts";
import { isBadPort } from "../platform/bad-port.ts";
import { isLoopback } from "../platform/loopback.ts";
import { sendRequest } from "../platform/send-request.ts";
import { CONNECTION_LOST, Failure, Misuse, UNREACHABLE } from "./failure.ts";
import type { Given } from "./options.ts";
import { type NameValue, toFailure } from "./rejection.ts";

export interface Client {
  readonly url: string;
  readonly world: string;
  readonly controlToken: string | undefined;
  readonly control: Control;
  /** The data of a response. An error response is a Failure with the sandbox's own sentence. */
  ask<T>(call: Promise<HttpOutcome<T>>): Promise<T>;
}

/** Throws a Misuse for an address that is none. Nothing is sent yet. `value`: how errors name what the command sends. */
export function createClient(
  given: Pick<Given, "text"> & Partial<Pick<Given, "label">>,
  value?: NameValue,
  signIn?: string,
): Client {
  const url = readUrl(given.label?.("url") ?? "--url", given.text("url") ?? "");
  const world = given.text("world") ?? "";
  const controlToken = given.text("control-token");

  async function ask<T>(call: Promise<HttpOutcome<T>>): Promise<T> {
    // The end of a command by a signal is no failure of the sandbox.
    const { data, error, response } = await call.catch((reason: unknown) => {
      throw (reason as Error).name === "AbortError" ? reason : describeConnectionError(url, reason);
    });
    // Another program on the port may answer 200 to anything.
    assertSandboxResponse(response, url);
    if (response.ok) return data as T;
    throw toFailure(error, response.status, url, { value, signIn });
  }

  return { url, world, controlToken, control: createControl({ url, controlToken, byHand: true }, world), ask };
}

/** The keys of the client's world, and the secret of its webhooks. */
export function fetchCredentials({ control, world, ask }: Client): Promise<Schemas["CredentialList"]> {
  return ask(control.GET("/_sandbox/worlds/{worldId}/credentials", { params: { path: { worldId: world } } }));
}

/** An http or https address, without a final slash. */
export function readUrl(label: string, text: string): string {
  const address = parseSandboxAddress(text);
  if (address !== undefined) return address;
  throw new Misuse(
    `${label} is ${toExcerpt(text)}, which is not a plain http address. Write it as ${suggestAddress(text)}.`,
  );
}

/**
 * As `sendRequest`, but an address where nobody answers, or another program does, is a sentence that says how to go on.
 * Redirects are not followed: a token must not travel to another address.
 */
export async function sendToSandbox(address: string | Request, request: RequestInit = {}): Promise<Response> {
  const { origin } = new URL(typeof address === "string" ? address : address.url);
  const answer = await sendRequest(address, { redirect: "manual", ...request }).catch((error: unknown) => {
    throw describeConnectionError(origin, error);
  });
  assertSandboxResponse(answer, origin);
  return answer;
}

/** As `sendToSandbox`, once the whole body is there: a connection that ends in the middle of it is a sentence as well. */
export async function sendAndBuffer(address: string, request: RequestInit = {}): Promise<Response> {
  const answer = await sendToSandbox(address, request);
  const body = await answer.arrayBuffer().catch((error: unknown) => {
    throw describeConnectionError(new URL(address).origin, error);
  });
  // A status such as 204 allows no body, not even an empty one.
  return new Response(body.byteLength === 0 ? null : body, answer);
}

/** Every answer of a sandbox has an id; where a request leads elsewhere, somebody else has said so. */
const isSandboxResponse = ({ headers }: Response): boolean => headers.has("sandbox-request-id");

/** Whether a sandbox, and not only something that listens, is ready at an address within this time. */
export async function isReady(url: string, limitMs: number): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(limitMs);
    const response = await sendRequest(`${url}/healthz`, { redirect: "manual", signal });
    await response.arrayBuffer();
    return response.ok && isSandboxResponse(response);
  } catch {
    return false;
  }
}

function assertSandboxResponse(answer: Response, url: string): void {
  if (isSandboxResponse(answer)) return;
  throw new Failure(
    `What answers at ${url} is no sandbox: it answered ${answer.status}, and without the header sandbox-request-id. Name another address with --url.`,
  );
}

/** Of a connection that there was: the request may have arrived. Any other code says that there was none. */
const LOST_CONNECTION_CODES = new Set([
  ...["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "UND_ERR_RES_CONTENT_LENGTH_MISMATCH"],
  ...["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"],
]);

/** For a request that got no answer of a sandbox, or a part of one: why, and what to do. */
function describeConnectionError(url: string, error: unknown): Failure {
  if (error instanceof SyntaxError)
    return new Failure(
      `What answers at ${url} is no sandbox: its response is not JSON. Name another address with --url.`,
      UNREACHABLE,
    );
  // Node's fetch says only "fetch failed"; the reason is in its cause.
  const cause = (error as { cause?: { code?: string; message?: string } }).cause;
  const { port, hostname } = new URL(url);
  // Requests to this machine are not sent by fetch.
  if (!isLoopback(hostname) && isBadPort(Number(port)))
    return new Failure(
      `Port ${port} is one that Node's fetch refuses. Start the sandbox on another --port.`,
      UNREACHABLE,
    );
  const reason = cause?.code ?? cause?.message ?? "no answer";
  const { origin } = new URL(url);
  if (LOST_CONNECTION_CODES.has(reason))
    return new Failure(
      `The connection to ${origin} ended before the whole answer was there (${reason}). The request may have been carried out: \`sandbox logs\` lists it, and \`sandbox why <id>\` says what it did.`,
      CONNECTION_LOST,
    );
  return new Failure(
    `No sandbox answers at ${origin} (${reason}). Start one with \`sandbox start\`, or name its address with --url.`,
    UNREACHABLE,
  );
}

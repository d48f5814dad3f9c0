// The client of a running sandbox for commands: the typed client of the control API, whose errors become sentences that name options
// and commands.
import { parseSandboxAddress, suggestAddress } from "../client/address.ts";
import type { Control, HttpOutcome, Schemas } from "../client/control.ts";
import { createControl } from "../client/create-control.ts";
import { formatError, type InputError, nameMember } from "../client/sandbox-error.ts";
import rows from "../contract/generated/commands.json" with { type: "json" };
import { toExcerpt } from "../engine/settings.ts";
import { sendRequest } from "../platform/send-request.ts";
import { CONNECTION_LOST, Failure, Misuse, UNREACHABLE } from "./failure.ts";
import type { Given } from "./options.ts";

export interface Client {
  readonly url: string;
  readonly world: string;
  readonly controlToken: string | undefined;
  readonly control: Control;
  /** Returns the data of a response. Throws a Failure with the sandbox's message for an error response. */
  ask<T>(call: Promise<HttpOutcome<T>>): Promise<T>;
}

/** Sends no request. Throws a Misuse for an invalid address. `value` names the fields of the request in errors. */
export function createClient(
  given: Pick<Given, "text"> & Partial<Pick<Given, "label">>,
  value?: NameValue,
  signIn?: string,
): Client {
  const url = readUrl(given.label?.("url") ?? "--url", given.text("url") ?? "");
  const world = given.text("world") ?? "";
  const controlToken = given.text("control-token");

  async function ask<T>(call: Promise<HttpOutcome<T>>): Promise<T> {
    // A command that is stopped by a signal did not fail.
    const { data, error, response } = await call.catch((reason: unknown) => {
      throw (reason as Error).name === "AbortError" ? reason : toConnectionFailure(url, reason);
    });
    // Another program on the port may respond with 200 to every request.
    assertSandboxResponse(response, url);
    if (response.ok) return data as T;
    throw toFailure(error, response.status, url, { value, signIn });
  }

  return { url, world, controlToken, control: createControl({ url, controlToken, byHand: true }, world), ask };
}

/** Returns the keys of the world and its webhook secret. */
export function fetchCredentials({ control, world, ask }: Client): Promise<Schemas["CredentialList"]> {
  return ask(control.GET("/_sandbox/worlds/{worldId}/credentials", { params: { path: { worldId: world } } }));
}

/** Returns an http or https address without a final slash. */
export function readUrl(label: string, text: string): string {
  const address = parseSandboxAddress(text);
  if (address !== undefined) return address;
  throw new Misuse(
    `${label} is ${toExcerpt(text)}, which is not a plain http address. Write it as ${suggestAddress(text)}.`,
  );
}

/**
 * Sends a request. Throws a Failure that says what to do if no sandbox responds at the address. Redirects are not followed, because the
 * token must not be sent to another address.
 */
export async function sendToSandbox(address: string | Request, request: RequestInit = {}): Promise<Response> {
  const { origin } = new URL(typeof address === "string" ? address : address.url);
  const response = await sendRequest(address, { redirect: "manual", ...request }).catch((error: unknown) => {
    throw toConnectionFailure(origin, error);
  });
  assertSandboxResponse(response, origin);
  return response;
}

/** Sends a request and reads the whole body, so that a connection lost in the middle becomes a Failure too. */
export async function sendAndBuffer(address: string, request: RequestInit = {}): Promise<Response> {
  const response = await sendToSandbox(address, request);
  const body = await response.arrayBuffer().catch((error: unknown) => {
    throw toConnectionFailure(new URL(address).origin, error);
  });
  // A status such as 204 allows no body, not even an empty one.
  return new Response(body.byteLength === 0 ? null : body, response);
}

/** Every response of a sandbox has a request id. A response without one, such as a redirect, is from another program. */
const isSandboxResponse = ({ headers }: Response): boolean => headers.has("sandbox-request-id");

/** Returns true if a sandbox, not just any program, is ready at the address within the limit. */
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

function assertSandboxResponse(response: Response, url: string): void {
  if (isSandboxResponse(response)) return;
  throw new Failure(
    `The program at ${url} is not a sandbox: it responded with ${response.status} and without the header sandbox-request-id. Name another address with --url.`,
  );
}

/** Codes of a connection that was lost, so the request may have been received. Every other code means that there was no connection. */
const LOST_CONNECTION_CODES = new Set([
  "ECONNRESET",
  "EPIPE",
  "UND_ERR_SOCKET",
  "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
]);

/** Explains why a request got no complete response from a sandbox, and what to do. */
function toConnectionFailure(url: string, error: unknown): Failure {
  const notJson = `The program at ${url} is not a sandbox: its response is not JSON. Name another address with --url.`;
  if (error instanceof SyntaxError) return new Failure(notJson, UNREACHABLE);
  // The message of Node's fetch is only "fetch failed"; the reason is in `cause`.
  const cause = (error as { cause?: { code?: string; message?: string } }).cause;
  const reason = cause?.code ?? cause?.message ?? "no response";
  const { origin } = new URL(url);
  if (LOST_CONNECTION_CODES.has(reason))
    return new Failure(
      `The connection to ${origin} was lost before the response was complete (${reason}). The request may have been carried out: \`sandbox logs\` lists it, and \`sandbox why <id>\` says what it did.`,
      CONNECTION_LOST,
    );
  return new Failure(
    `No sandbox responds at ${origin} (${reason}). Start one with \`sandbox start\`, or name its address with --url.`,
    UNREACHABLE,
  );
}

/** Names a wrong value as the user typed it. */
export type NameValue = (error: InputError) => string;

/** Commands for lists that are not generated from an operation. */
const LISTS: Readonly<Record<string, string>> = {
  "GET /_sandbox/acts": "act --list",
  "GET /_sandbox/log": "logs",
  "GET /_sandbox/requests": "logs",
  "GET /_sandbox/messages": "logs --messages",
  "GET /_sandbox/history": "logs --changes",
};

function findListCommand(request: string): string | undefined {
  const row = rows.commands.find(({ calls }) => calls.some(({ method, path }) => `${method} ${path}` === request));
  const command = LISTS[request] ?? row?.command;
  return command && `\`sandbox ${command}\``;
}

/** Names a field by its option. `same` lists fields whose option has their name, and `renamed` has the options of others. */
export const nameByOptions =
  (same: readonly string[] = [], renamed: Readonly<Record<string, string>> = {}): NameValue =>
  (error) => {
    // A position in a list is omitted, because the message contains the value.
    const name = nameMember(error).replace(/\.\d+$/, "");
    if (same.includes(name)) return `--${name.replaceAll("_", "-")}`;
    if (["world", "worldId", "sandbox-world"].includes(name)) return "--world";
    return renamed[name] ?? (name || "input");
  };

const SIGN_IN = "Sign in with `sandbox login <address>`, or set SANDBOX_CONTROL_TOKEN.";

interface RejectionWords {
  value?: NameValue | undefined;
  /** The advice for a missing or wrong token. */
  signIn?: string | undefined;
}

/** Creates a Failure with the code and message in the body of the response, `error`. */
export function toFailure(
  error: unknown,
  status: number,
  url: string,
  { value = nameByOptions(), signIn = SIGN_IN }: RejectionWords = {},
): Failure {
  if (typeof error !== "object" || error === null)
    return new Failure(
      `The program at ${url} is not a sandbox: it responded with ${status}. Name another address with --url.`,
    );
  // Errors of the token endpoint have the fields of RFC 6749.
  const reported = error as Partial<Schemas["Error"]> & { error_description?: string };
  const { code, message = reported.error_description, violations, list } = reported;
  if (message === undefined) return new Failure(`${url} returned ${status}: ${toExcerpt(JSON.stringify(error))}`, code);
  const sentence = formatError({ message, violations, list }, { value, list: findListCommand });
  return new Failure(status === 401 ? `${sentence} ${signIn}`.trim() : sentence, code);
}

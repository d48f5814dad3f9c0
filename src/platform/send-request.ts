// Sends the requests that this program makes itself. A request to this machine goes directly to its port: a proxy of the
// environment can't reach the port, and tests that intercept `fetch` or node:http must see only their own requests.
import http, { ClientRequest, type IncomingMessage, OutgoingMessage, type RequestOptions } from "node:http";
import https from "node:https";
import { isLoopback } from "./loopback.ts";
import { findOwnContext } from "./own-certificates.ts";
import { unwrapHost } from "./unbracketed.ts";

/**
 * Sends a request like `fetch`, but directly to a port of this machine. `fetch` sends requests to other addresses,
 * because it uses the proxy of the environment.
 */
export async function sendRequest(address: string | URL | Request, init?: RequestInit): Promise<Response> {
  const request = address instanceof Request && !init ? address : new Request(address, init);
  return isLoopback(new URL(request.url).hostname) ? requestOnce(request) : fetch(request);
}

/** Headers that `fetch` adds in Node. Some operations of the API require a language. */
const FETCH_HEADERS = { accept: "*/*", "accept-language": "*", "user-agent": "node" };

/** `connection` replaces the connection to the request's address. Rejects with the errors of `fetch`. */
export async function requestOnce(
  request: Request,
  connection: Pick<RequestOptions, "createConnection"> = {},
): Promise<Response> {
  request.signal.throwIfAborted();
  const url = new URL(request.url);
  const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
  const length = body === undefined ? {} : { "content-length": body.length };
  return new Promise((resolve, reject) => {
    const headers = { host: url.host, ...FETCH_HEADERS, ...Object.fromEntries(request.headers), ...length };
    const sent = createClientRequest(url, { method: request.method, headers, ...connection });
    request.signal.addEventListener("abort", () => sent.destroy(request.signal.reason), { once: true });
    sent.once("response", (message) => resolve(toResponse(message, request)));
    sent.on("error", (cause) => reject(toFetchError(request, "fetch failed", cause)));
    sent.end(body);
  });
}

/**
 * Creates a request like `request` of node:http and node:https. nock and MSW replace those functions and the class,
 * but the class of Node is still the last one of the prototype chain.
 */
export function createClientRequest(url: URL, options: RequestOptions): ClientRequest {
  let prototype: ClientRequest = ClientRequest.prototype;
  for (let parent = prototype; parent instanceof OutgoingMessage; parent = Object.getPrototypeOf(parent))
    prototype = parent;
  const NodeClientRequest = prototype.constructor as typeof ClientRequest;
  const { protocol, hostname, port, pathname, search } = url;
  const agent = options.createConnection ? undefined : findAgent(url);
  const address = { protocol, hostname: unwrapHost(hostname), port, path: pathname + search };
  return new NodeClientRequest({ agent, ...address, ...options });
}

/**
 * Node gives the proxy of the environment to its global agents (`NODE_USE_ENV_PROXY`), but not to a new agent. A new
 * agent keeps no connections, because a stopped sandbox may have closed them, and a request that fails on one can't
 * be repeated safely.
 */
function findAgent({ protocol, hostname }: URL): http.Agent {
  const isSecure = protocol === "https:";
  if (isLoopback(hostname)) return isSecure ? new https.Agent({ secureContext: findOwnContext() }) : new http.Agent();
  return isSecure ? https.globalAgent : http.globalAgent;
}

/** Statuses whose responses have no body (Fetch, "null body status"). */
const STATUSES_WITHOUT_BODY = [101, 103, 204, 205, 304];

function toResponse(message: IncomingMessage, request: Request): Response {
  const { statusCode: status = 500, statusMessage: statusText = "", rawHeaders } = message;
  const headers = new Headers();
  // Node joins the values of a repeated header in `headers`, but not in `rawHeaders`.
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i] as string, rawHeaders[i + 1] as string);
  if (!STATUSES_WITHOUT_BODY.includes(status))
    return new Response(ReadableStream.from(readResponseBody(message, request)), { status, statusText, headers });
  // An unread message would keep its connection open.
  message.resume();
  return new Response(null, { status, statusText, headers });
}

async function* readResponseBody(message: IncomingMessage, request: Request): AsyncGenerator<Uint8Array> {
  try {
    yield* message;
  } catch (cause) {
    throw toFetchError(request, "terminated", cause);
  }
}

/**
 * Takes the request and not only its signal, because Node collects the link between the signal and the caller's
 * signal with the request.
 */
const toFetchError = (request: Request, message: string, cause: unknown): unknown =>
  request.signal.aborted ? request.signal.reason : new TypeError(message, { cause });

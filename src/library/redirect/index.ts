// A preload for a program with a hard-coded address of the service: redirects its requests from the origins in SANDBOX_REDIRECT to the
// sandbox at SANDBOX_URL. It patches `fetch`, node:http and node:https, and so every library that uses them.
import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";
import { urlToHttpOptions } from "node:url";
import { unwrapHost } from "../../platform/unbracketed.ts";

type Callback = (response: IncomingMessage) => void;
type Request = (options: RequestOptions, callback?: Callback) => ClientRequest;

const EXAMPLE = "SANDBOX_REDIRECT=https://api.example.com node --import experience-sandbox/redirect app.js";

const sandbox = parseAddress("SANDBOX_URL", process.env.SANDBOX_URL ?? "http://127.0.0.1:4010");
const redirected = new Set(
  (process.env.SANDBOX_REDIRECT ?? "")
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "")
    .map((each) => parseAddress("SANDBOX_REDIRECT", each).origin),
);
/** The path under which an app mounts the sandbox. */
const mount = sandbox.pathname.replace(/\/$/, "");
if (redirected.size === 0) stop("SANDBOX_REDIRECT names no origin to redirect.");

function parseAddress(variable: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  return stop(`${variable} holds ${JSON.stringify(text)}, which is not an http or https address.`);
}

/** Exits, because the requests of the program would reach the real service. */
function stop(sentence: string): never {
  process.stderr.write(`experience-sandbox/redirect: ${sentence} For example:\n  ${EXAMPLE}\n`);
  process.exit(1);
}

/** Returns the same path and query at the sandbox, or undefined if the address is not redirected. */
function toSandboxAddress(address: string): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url && redirected.has(url.origin) ? sandbox.origin + mount + url.pathname + url.search : undefined;
}

function redirectFetch(): void {
  const original = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const target = toSandboxAddress(input instanceof Request ? input.url : String(input));
    if (target === undefined) return original(input, init);
    return original(input instanceof Request ? new Request(target, input) : target, init);
  };
}

const requests: Record<string, Request> = { "http:": http.request, "https:": https.request };

function redirectModule(module: typeof http | typeof https, protocol: "http:" | "https:"): void {
  const original = requests[protocol] as Request;
  const request = (...args: unknown[]): ClientRequest => {
    const { options, callback } = readArguments(args);
    if (!redirected.has(getOrigin(options, protocol))) return Reflect.apply(original, module, args);
    // An agent and a default port of one protocol do not work with the other.
    const { agent: _agent, defaultPort: _port, path = "/", ...others } = options;
    const { protocol: towards, hostname, port } = sandbox;
    const host = unwrapHost(hostname);
    return (requests[towards] as Request)(
      { ...others, protocol: towards, hostname: host, host, port, path: mount + path },
      callback,
    );
  };
  const get = (...args: unknown[]): ClientRequest => {
    const sent = request(...args);
    sent.end();
    return sent;
  };
  Object.assign(module, { request, get });
}

/** Reads arguments like node:http: an address, options or both, then a callback. */
function readArguments(args: readonly unknown[]): { options: RequestOptions; callback: Callback | undefined } {
  const [first, ...rest] = args;
  const url = typeof first === "string" ? new URL(first) : first instanceof URL ? first : undefined;
  const [second, third] = url ? rest : [first, ...rest];
  const [options, callback] = typeof second === "function" ? [{}, second] : [second ?? {}, third];
  return { options: { ...(url ? urlToHttpOptions(url) : {}), ...options }, callback: callback as Callback | undefined };
}

function getOrigin({ protocol, hostname, host, port, defaultPort }: RequestOptions, own: string): string {
  const name = hostname ?? host ?? "localhost";
  const address = `${protocol ?? own}//${name.includes(":") && !name.startsWith("[") ? `[${name}]` : name}`;
  const at = port ?? defaultPort;
  const whole = at === undefined || at === null || at === "" ? address : `${address}:${at}`;
  return URL.canParse(whole) ? new URL(whole).origin : "";
}

redirectFetch();
redirectModule(http, "http:");
redirectModule(https, "https:");
// The named exports of the modules must also refer to the patched functions.
syncBuiltinESMExports();

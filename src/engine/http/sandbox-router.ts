// Creates the express.Router of the sandbox: a route for each path of the two documents and of the pages, which sets
// the match, and the middleware that serves it.
import type { TLSSocket } from "node:tls";
import cors from "cors";
import type { ErrorRequestHandler, RequestHandler } from "express";
import express from "express";
import { decodeDots } from "../../platform/path-segment.ts";
import { toCode } from "../domain/kernel/error-codes.ts";
import { documentRoutes } from "./documents.ts";
import type { ErrorMiddleware, Match, Middleware, SandboxRequest, SandboxRouter } from "./exchange.ts";
import { allRoutes } from "./routes.ts";
import { isHost } from "./served.ts";

const EXACT = { caseSensitive: true, strict: true };

const toExpress = (middleware: Middleware): RequestHandler => middleware as unknown as RequestHandler;

/** `first` runs for every request, `serving` for those that the sandbox serves itself. */
export function createSandboxRouter(
  first: readonly Middleware[],
  serving: readonly Middleware[],
  handleError: ErrorMiddleware,
): SandboxRouter {
  const router = express.Router(EXACT);
  const passOnUnmatched: Middleware = ({ match, passOn }, _, next) => (match || !passOn ? next() : passOn());
  router.use(...[...first, matchPath, passOnUnmatched, ...serving].map(toExpress));
  router.use(handleError as unknown as ErrorRequestHandler);
  return (request: SandboxRequest, response, next) => {
    // The sandbox handles every request if it is mounted under its own path.
    request.passOn = request.baseUrl ? undefined : next;
    router(request as never, response as never, next ?? (() => undefined));
  };
}

/**
 * Sets the match of a request synchronously. There is one router per resource, such as `/v1/bookings`. A map selects
 * it, because Express can't distinguish `/v1/bookings` from `/v1/bookings/` in a mounted router, even with `strict`.
 */
function createPathMatcher(): Middleware {
  const resources = new Map<string, express.Router>();
  // Express uses the first route that matches, so literal segments come before parameters.
  const paths = [...groupByPath()].sort(([a], [b]) => countParameters(a) - countParameters(b));
  for (const [path, members] of paths) {
    const parameter = path.search(/[:*]/);
    const key = readResource(parameter < 0 ? path : path.slice(0, path.lastIndexOf("/", parameter)));
    const resource = resources.get(key) ?? express.Router(EXACT);
    resources.set(key, resource);
    addPath(resource, path, members);
  }
  return (request, response, next) => {
    const key = readResource(request.url ?? "/");
    const resource = resources.get(key) ?? resources.get(key.slice(0, Math.max(1, key.lastIndexOf("/"))));
    if (!resource) return next();
    // A matching route continues here, because its router would try other routes first.
    request.proceed = next;
    // Express reports an error for a parameter that is not UTF-8, which is an unknown path here.
    resource(request as never, response as never, () => next());
  };
}

/** Reads the first two segments: `/v1/bookings` of `/v1/bookings/bkg-1?x=y`. */
const readResource = (url: string): string => /^\/[^/?]*(?:\/[^/?]*)?/.exec(url)?.[0] ?? url;

const countParameters = (path: string): number => path.split(/[:*]/).length - 1;

/** The operations and documents of one path, by method. */
type PathMembers = Map<string, Pick<Match, "route" | "document">>;

/** Groups routes by path in the syntax of Express. An operation takes precedence over a document. */
function groupByPath(): Map<string, PathMembers> {
  const paths = new Map<string, PathMembers>();
  for (const route of allRoutes) {
    const path = route.operation.path.replaceAll(/\{(\w+)\}/g, ":$1");
    const members: PathMembers = paths.get(path) ?? new Map();
    paths.set(path, members.set(route.operation.method, { route }));
  }
  for (const document of documentRoutes)
    if (!paths.has(document.path)) paths.set(document.path, new Map([["get", { document }]]));
  return paths;
}

/**
 * A wildcard becomes a regular expression, whose match Express doesn't decode, so a path below a page may contain any
 * characters.
 */
function toPattern(path: string): string | RegExp {
  const wildcard = path.indexOf("*");
  return wildcard < 0 ? path : new RegExp(`^${path.slice(0, wildcard)}`);
}

function addPath(router: express.Router, path: string, members: PathMembers): void {
  const route = router.route(toPattern(path));
  for (const [method, found] of members) route[method as "get"](setMatch(found));
  // Express would respond to OPTIONS itself, and treat other methods as an unknown path.
  const methods = [...members.keys()].map((method) => method.toUpperCase());
  route.all(setMatch({ allow: [...methods, ...(members.has("get") ? ["HEAD"] : []), "OPTIONS"].join(", ") }));
}

function setMatch(found: Omit<Match, "params">): RequestHandler {
  return toExpress((request) => {
    const params: Record<string, string> = {};
    // The object of Express has no prototype.
    for (const [name, value] of Object.entries(request.params ?? {})) params[name] = decodeDots(value);
    request.match = { ...found, params };
    request.proceed?.();
  });
}

/** Every sandbox of the process has the same paths. */
export const matchPath = createPathMatcher();

const CLOSED = {
  code: toCode(503),
  message:
    "This sandbox is closed. Start another one and mount its router, or close the server together with the sandbox.",
};

/**
 * Creates a router for an app that mounts it. `reachedAt` gets the address of each request, for use in documents and
 * webhooks.
 */
export function createMountedRouter(
  { router, reachedAt }: { router: SandboxRouter; reachedAt(url: string): void },
  isClosed: () => boolean,
): SandboxRouter {
  return (request: SandboxRequest, response, next) => {
    // A closed server has no open port, but a router still receives requests.
    if (isClosed()) {
      const headers = { "content-type": "application/json; charset=utf-8", connection: "close" };
      return void response.writeHead(503, headers).end(JSON.stringify(CLOSED));
    }
    const { host = "" } = request.headers;
    const { protocol = (request.socket as TLSSocket).encrypted ? "https" : "http", baseUrl = "" } = request;
    // A forged Host must not get into documents.
    if (isHost(host)) reachedAt(`${protocol}://${host}${baseUrl}`);
    router(request, response, next);
  };
}

/** The response headers that a page may read. */
const EXPOSED = "sandbox-request-id,sandbox-maturity,sandbox-violations,WWW-Authenticate,Retry-After,Allow";

/**
 * Implements `--cors`: pages of these origins may use the public API from a browser. The control API allows none.
 * Assumption: cors.
 */
export function allowOrigins(origins: readonly string[]): Middleware {
  const origin = origins.includes("*") ? "*" : [...origins];
  // A preflight response is valid for ten minutes.
  const allow = cors({ origin, exposedHeaders: EXPOSED, maxAge: 600 });
  return (request, response, next) => {
    // OPTIONS without this header requests the methods of a path.
    const isPlainOptions = request.method === "OPTIONS" && !request.headers["access-control-request-method"];
    if (isPlainOptions || request.url?.startsWith("/_sandbox")) next();
    else allow(request, response, next);
  };
}

// Creates the express.Router of the sandbox: a route for each path of the two documents and of the pages, which sets the match, and the
// middleware that serves it.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import express, { type ErrorRequestHandler, type RequestHandler } from "express";
import { decodeDots } from "../../platform/path-segment.ts";
import { toCode } from "../domain/kernel/error-codes.ts";
import type { WorldLease } from "./access.ts";
import type { DocumentRoute } from "./documents.ts";
import type { Exchange, Route } from "./exchange.ts";
import { isHost } from "./served.ts";

/** Serves a request. `next` gets requests that the sandbox does not serve, if it is mounted at the root of an app. */
export type SandboxRouter = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (reason?: unknown) => void,
) => void;

/** The operation or document of a path. An unknown path has no match. */
export interface Match {
  params: Record<string, string>;
  route?: Route;
  document?: DocumentRoute;
  /** The methods of the path, if the request has another one. */
  allow?: string;
}

/** A request with the fields that the middleware adds. */
export interface SandboxRequest extends IncomingMessage {
  /** The path under which an app mounts the sandbox. */
  baseUrl?: string;
  protocol?: string;
  body?: unknown;
  params?: Record<string, string>;
  match?: Match;
  /** Continues after the match. */
  proceed?: NextFunction;
  /** Gets a request that matches nothing. */
  passOn?: (() => void) | undefined;
  raw?: Buffer | undefined;
  /** The error that reading the body caused. */
  unreadable?: unknown;
  /** Keeps the world of the request on this node. */
  lease?: WorldLease;
  exchange?: Exchange;
}

export type NextFunction = (reason?: unknown) => void;
export type Middleware = (request: SandboxRequest, response: ServerResponse, next: NextFunction) => void;
export type ErrorMiddleware = (
  reason: unknown,
  request: SandboxRequest,
  response: ServerResponse,
  next: NextFunction,
) => void;

const EXACT = { caseSensitive: true, strict: true };

const toExpress = (middleware: Middleware): RequestHandler => middleware as unknown as RequestHandler;

/** `first` runs for every request, `serving` for those that the sandbox serves itself. */
export function createSandboxRouter(
  matchPath: Middleware,
  { first, serving, handleError }: { first: Middleware[]; serving: Middleware[]; handleError: ErrorMiddleware },
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
 * Sets the match of a request synchronously. There is one router per resource, such as `/v1/bookings`. A map selects it, because Express can't
 * distinguish `/v1/bookings` from `/v1/bookings/` in a mounted router, even with `strict`.
 */
export function createPathMatcher(routes: readonly Route[], documents: readonly DocumentRoute[]): Middleware {
  const resources = new Map<string, express.Router>();
  // Express uses the first route that matches, so literal segments come before parameters.
  const paths = [...groupByPath(routes, documents)].sort(([a], [b]) => countParameters(a) - countParameters(b));
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
function groupByPath(routes: readonly Route[], documents: readonly DocumentRoute[]): Map<string, PathMembers> {
  const paths = new Map<string, PathMembers>();
  for (const route of routes) {
    const path = route.operation.path.replaceAll(/\{(\w+)\}/g, ":$1");
    const members: PathMembers = paths.get(path) ?? new Map();
    paths.set(path, members.set(route.operation.method, { route }));
  }
  for (const document of documents)
    if (!paths.has(document.path)) paths.set(document.path, new Map([["get", { document }]]));
  return paths;
}

/** A wildcard becomes a regular expression, whose match Express doesn't decode, so a path below a page may contain any characters. */
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

const CLOSED = {
  code: toCode(503),
  message:
    "This sandbox is closed. Start another one and mount its router, or close the server together with the sandbox.",
};

/** Creates a router for an app that mounts it. `reachedAt` gets the address of each request, for use in documents and webhooks. */
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

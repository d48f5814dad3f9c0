// Defines an exchange, a request with its response, to which the steps of steps.ts add their results. Also defines what
// a sandbox with accounts decides about requests.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { IHttpOperation } from "@stoplight/types";
import type { Fault, FaultHit, RequestsPort, TimePort, TraceSpan, WorldsPort } from "../app/application.ts";
import type { Values } from "../domain/kernel/domain-error.ts";
import type { Fact } from "../domain/kernel/facts.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import type { Key } from "../domain/kernel/records.ts";
import type { World } from "../world/state/world.ts";

export interface Violation {
  location: string[];
  code: string;
  message: string;
  severity: "Error";
}

export const createViolation = (location: string[], code: string, message: string): Violation => ({
  location,
  code,
  message,
  severity: "Error",
});

/** The reason why a request or an act was rejected. */
export interface Rejection {
  /** A TransportRule, or the code of a DomainError. */
  rule: string;
  code: string;
  status: number;
  message: string;
  /** The values of each violation. */
  values: readonly Values[];
  violations: readonly Violation[];
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  /** A value is sent as JSON. Bytes and strings are sent unchanged, and need their own content type. */
  body?: unknown;
  /** Replaces the body by JSON that is too long for one string. It is sent as fast as the client reads. */
  pieces?: Iterable<string>;
  /** Replaces everything else: writes to the response until the client disconnects. */
  stream?(response: ServerResponse): void;
}

export interface Route {
  operation: IHttpOperation;
  id: string;
  /** Whether it belongs to the control surface. */
  control: boolean;
  maturity: string;
  scopes: readonly string[];
  /** The operation of the specification, if a world overrides an assumption that changes it. */
  documented?: IHttpOperation;
}

/** The parts of a request from which its exchange is created. */
export type RawRequest = Pick<Exchange, "method" | "target" | "raw"> & {
  headers: Readonly<Record<string, string | string[]>>;
};

/** The sender of a request to the control API. The module that identifies callers extends it. */
export interface Caller {
  /** The owner of the worlds that the caller may use. Null for the operator, who may use all. */
  readonly account: string | null;
}

export interface Exchange {
  /** The id in the header `sandbox-request-id` and in the request log. */
  id: string;
  method: string;
  /** Path and query as they were sent. */
  target: string;
  path: string;
  query: Record<string, string | string[]>;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  raw: Buffer | undefined;
  /** The error that reading the body caused. It is thrown when the body is needed. */
  unreadable: unknown;
  /** The protocol version, such as "1.1". */
  httpVersion: string;
  /** The path under which an app mounts the sandbox: "" unless one does. */
  mount: string;
  /** The address of this machine that the client connected to. */
  localAddress: string | undefined;
  body?: unknown;
  /** Calls back when the connection ends, or immediately if it has ended. Missing if no client waits. */
  onClose?(then: () => void): void;
  started: number;
  at: Instant;
  route?: Route;
  /** Whether it is for a page of the sandbox, which the request log omits. */
  isPage?: boolean;
  /** The path parameters, decoded. */
  params: Record<string, string>;
  world?: World;
  key?: Key;
  /** The caller of a control request, if there are accounts. */
  caller?: Caller | undefined;
  /** The world that a request to the control API names or creates. */
  about?: string;
  /** Whether its changes are durable already. */
  isStored?: boolean;
  /** The client of a token request, before its secret is checked. */
  client?: string;
  scopes?: readonly string[];
  /** The hash of its bearer token, if a world has the token. */
  tokenHash?: string;
  /** The sender, if it is a person or a tool of the sandbox and not the program. */
  sentBy?: "person" | "tool";
  /** Query and path parameters with the types and defaults of the specification. */
  parameters: { path: Record<string, unknown>; query: Record<string, unknown> };
  violations: Violation[];
  facts: readonly Fact[];
  answer?: Answer | undefined;
  /** The injected fault that determines the response. */
  fault?: Fault;
  /** All faults that took effect. */
  faults?: FaultHit[];
  /** Performs another request as if it had arrived on the same connection. */
  resend?(sending: RawRequest): Promise<{ id: string; status: number | null; answer: unknown }>;
  /** The rejection, for `why`. */
  rejection?: Rejection;
  /** The span of the request, if requests are traced. */
  span?: TraceSpan | undefined;
  /** The error behind a 500; only the request log shows it. */
  internalError?: string;
}

/** The parts of a request that its operation describes. */
export type SentParts = Pick<Exchange, "raw" | "body" | "query" | "params" | "headers">;

/** Creates the empty fields that the steps of a request fill in. */
export const createFindings = (): Pick<Exchange, "params" | "parameters" | "violations" | "facts"> => ({
  params: {},
  parameters: { path: {}, query: {} },
  violations: [],
  facts: [],
});

export type Routed = Exchange & { route: Route };

export const isRouted = (exchange: Exchange): exchange is Routed => exchange.route !== undefined;

export function readHeader(exchange: Pick<Exchange, "headers">, name: string): string | undefined {
  const value = exchange.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

/** Decodes a percent-encoded name in a header, which can't contain every character. Other values are returned unchanged. */
export function readDecodedHeader(exchange: Pick<Exchange, "headers">, name: string): string | undefined {
  const text = readHeader(exchange, name);
  try {
    return text && decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Each method throws the error that the client gets. */
export interface Access {
  /** Identifies the caller of a request to the control API, and throws if the caller may not send it. */
  admit(exchange: Routed): Promise<void> | undefined;
  /** Limits requests to the service: throws if the account of their world exceeds its rate limit. */
  limit(exchange: Exchange): Promise<void> | undefined;
  /** Records a request to the control API, before its response is written. */
  finish(exchange: Routed): Promise<void> | undefined;
  /** Closes a stream once its caller may not read it any more. */
  follow(exchange: Exchange, response: ServerResponse): void;
}

/** Keeps a world in this process until the request has its response. */
export interface WorldLease {
  /** The world is in another process now, so what was read from it must not be sent. */
  readonly isLost: boolean;
  /** Calls back when the world is lost, or when this process is to stop. */
  onGone(then: () => void): void;
  release(): void;
}

/** Marks a request that another node has forwarded, which is not forwarded again. */
export const HOP = "sandbox-hop";

/**
 * Tells the forwarding node to break the client's connection. A broken connection between the nodes would look like a
 * failure of this node.
 */
export const BREAK = "sandbox-hop-break";

export const TOKEN_PATH = "/oauth2/token";

/** A document, a page or a file for GET. `make` returns undefined if there is none for the path parameters. */
export interface DocumentRoute {
  /** The path in the syntax of Express. */
  path: string;
  make(application: DocumentPorts, exchange: Exchange): Answer | undefined | Promise<Answer>;
  /** Whether it is a page of the sandbox, which the request log omits. */
  isPage?: boolean;
}

export type DocumentPorts = WorldsPort & RequestsPort & TimePort;

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

// A request with its response. The steps of pipeline.ts read from it and add what they find out.
import type { ServerResponse } from "node:http";
import type { IHttpOperation } from "@stoplight/types";
import type { Fault, FaultHit, TraceSpan } from "../app/application.ts";
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

/** Why a request or an act was rejected. */
export interface Rejection {
  /** A TransportRule, or the code of a DomainError. */
  rule: string;
  code: string;
  status: number;
  message: string;
  /** One set for each violation. */
  values: readonly Values[];
  violations: readonly Violation[];
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  /** Sent as JSON; bytes and text are sent as they are, with a content type of their own. */
  body?: unknown;
  /** In place of a body: JSON that is too long for one text, sent as fast as the client reads. */
  pieces?: Iterable<string>;
  /** In place of all the rest: writes to the response until the client disconnects. */
  stream?(response: ServerResponse): void;
}

export interface Route {
  operation: IHttpOperation;
  id: string;
  /** Whether it belongs to the control surface. */
  control: boolean;
  maturity: string;
  scopes: readonly string[];
  /** The operation of the specification, where a world overrides an assumption that changes it. */
  documented?: IHttpOperation;
}

/** A request that is sent again. */
export interface Sending {
  method: string;
  target: string;
  headers: Readonly<Record<string, string | string[]>>;
  raw: Buffer | undefined;
}

/** The sender of a request to the control API. The module that identifies callers extends it. */
export interface Caller {
  /** The owner of the worlds that the caller may use. Null for the operator, who may use all. */
  readonly account: string | null;
}

export interface RepeatedHeader {
  name: "Host" | "Authorization";
  times: number;
}

export interface Exchange {
  /** The header `sandbox-request-id` of the answer; the request log finds it by this. */
  id: string;
  method: string;
  /** Path and query as they were sent. */
  target: string;
  path: string;
  query: Record<string, string | string[]>;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  raw: Buffer | undefined;
  /** Why its body could not be read, thrown where the body is needed. */
  unreadable: unknown;
  /** A header that was sent more than once although it may be sent only once. */
  repeatedHeader: RepeatedHeader | undefined;
  /** Of the protocol, such as "1.1". */
  httpVersion: string;
  /** The path under which an app mounts the sandbox: "" unless one does. */
  mount: string;
  /** The address of this machine that the client connected to. */
  localAddress: string | undefined;
  body?: unknown;
  /** Calls back when its connection ends, or at once where it has; not there where no client waits. */
  whenGone?(then: () => void): void;
  started: number;
  at: Instant;
  route?: Route;
  /** Whether it is for a page of the sandbox, which the request log leaves out. */
  isPage?: boolean;
  /** The path parameters, decoded. */
  params: Record<string, string>;
  world?: World;
  key?: Key;
  /** Who sends a request to the control API, where there are accounts. */
  caller?: Caller | undefined;
  /** The world that a request to the control API names or creates. */
  about?: string;
  /** What it changed is durable already. */
  isStored?: boolean;
  /** The client that asks for a token, before it has shown its secret. */
  client?: string;
  scopes?: readonly string[];
  /** The hash of its bearer token, where a world has that token. */
  tokenHash?: string;
  /** Where it is not the program: a person, or a tool of the sandbox. */
  sentBy?: "person" | "tool";
  /** Query and path parameters with the types and defaults of the specification. */
  parameters: { path: Record<string, unknown>; query: Record<string, unknown> };
  violations: Violation[];
  facts: readonly Fact[];
  answer?: Answer | undefined;
  /** The injected fault that decides what is sent. */
  fault?: Fault;
  /** All that took effect. */
  faults?: FaultHit[];
  /** Carries out another request as if it had come by the same connection. */
  again?(sending: Sending): Promise<{ id: string; status: number | null; answer: unknown }>;
  /** What stood against it, for whoever asks why. */
  rejection?: Rejection;
  /** Where requests are traced. */
  span?: TraceSpan | undefined;
  /** The error behind a 500; only the request log shows it. */
  trouble?: string;
}

/** The parts of a request that its operation describes. */
export type SentParts = Pick<Exchange, "raw" | "body" | "query" | "params" | "headers">;

/** What the steps of a request fill in. */
export const createFindings = (): Pick<Exchange, "params" | "parameters" | "violations" | "facts"> => ({
  params: {},
  parameters: { path: {}, query: {} },
  violations: [],
  facts: [],
});

export type Routed = Exchange & { route: Route };

export const isRouted = (exchange: Exchange): exchange is Routed => exchange.route !== undefined;

export function header(exchange: Pick<Exchange, "headers">, name: string): string | undefined {
  const value = exchange.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

/** A name in a header may be percent-encoded, since a header can't carry every letter; what is not encoded is taken as it is. */
export function decodedHeader(exchange: Pick<Exchange, "headers">, name: string): string | undefined {
  const text = header(exchange, name);
  try {
    return text && decodeURIComponent(text);
  } catch {
    return text;
  }
}

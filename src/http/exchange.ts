// One request and its answer, on their way through the pipeline of app.ts: every step reads here and adds what it found out.
import type { IHttpOperation } from "@stoplight/types";
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

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  /** Sent as JSON, or as it is when it is bytes or text with a content type of its own. */
  body?: unknown;
  /** Instead of a body: JSON that is too long for one text, sent as fast as it is taken. */
  pieces?: Iterable<string>;
}

export interface Route {
  operation: IHttpOperation;
  id: string;
  /** Whether it belongs to the control surface. */
  control: boolean;
  maturity: string;
  scopes: readonly string[];
  /** Whether its operation is not the one that was compiled, because a world takes another answer to an open question. */
  flipped?: boolean;
}

export interface Exchange {
  /** Look it up in the journal: the header `sandbox-request-id`. */
  id: string;
  method: string;
  /** Path and query as they came. */
  target: string;
  path: string;
  query: Record<string, string | string[]>;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  raw: Buffer | undefined;
  /** Why its body could not be read, thrown where the body is wanted. */
  unreadable: unknown;
  body?: unknown;
  started: number;
  at: Instant;
  route?: Route;
  /** The label of what the path means, where it means something. */
  maturity?: string;
  /** Names to values of the path, decoded. */
  params: Record<string, string>;
  world?: World;
  key?: Key;
  scopes?: readonly string[];
  /** Query and path with the types and defaults of the specification. */
  asked: { path: Record<string, unknown>; query: Record<string, unknown> };
  violations: Violation[];
  facts: readonly Fact[];
  answer?: Answer | undefined;
  /** What failed in us, when the answer is a 500; only the journal tells it. */
  trouble?: string;
}

export function header(exchange: Pick<Exchange, "headers">, name: string): string | undefined {
  const value = exchange.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

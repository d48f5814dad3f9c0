// What happens in the worlds, as it can be watched: the requests of the log, and what listeners are told as it happens.
import type { Fact } from "../domain/kernel/facts.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import type { components } from "../generated/control.ts";

export interface LoggedRequest {
  id: string;
  at: Instant;
  operation: string | undefined;
  /** Null when the connection was broken instead of an answer. */
  status: number | null;
  /** The memory that it takes. */
  bytes: number;
  /** The request as people see it, with the messages that it caused. */
  show(messages: readonly string[]): object;
  /** What one line of it needs, made without reading its bodies. */
  brief(): RequestBrief;
}

export interface RequestBrief {
  id: string;
  at: Instant;
  method: string;
  path: string;
  operation: string | null;
  status: number | null;
  duration_ms: number;
  /** The code and the sentence of an error response. */
  reason: string;
  facts: readonly Fact[];
  userAgent: string;
}

export interface RequestFilter {
  operation?: string;
  /** "404", or "4xx" for all of them. */
  status?: string;
  /** A request id, or an instant. */
  since?: string;
}

export interface RequestLogs {
  add(world: string, request: LoggedRequest): void;
  list(world: string, filter: RequestFilter): LoggedRequest[];
  find(world: string, id: string): LoggedRequest | undefined;
  forget(world: string): void;
}

/** What an act did, or why it was refused. A trigger is one too. */
export interface ActTold {
  at: Instant;
  act: string;
  facts: readonly Fact[];
  code?: string;
  message?: string;
}

export type Happening =
  | { type: "request"; world: string; data: string }
  | { type: "fact"; world: string; data: Fact }
  | { type: "act"; world: string; data: ActTold }
  | { type: "delivery"; world: string; data: components["schemas"]["Delivery"] }
  | { type: "clock"; world: string; data: { now: Instant; happened: number } };

export interface Activity {
  /** The next number in the one order of everything that happens in this process, given when it is finished. */
  next(): number;
  readonly latest: number;
  tell(happening: Happening): void;
  /** Returns a function that ends the listening. */
  listen(listener: (happening: Happening) => void): () => void;
  readonly listeners: number;
  /** Resolves with what `look` finds once it is enough, or with what there is when the time is up. */
  until<T>(look: () => T, enough: (found: T) => boolean, timeoutMs: number): Promise<T>;
}

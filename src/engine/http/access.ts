// Declares the decisions of a sandbox with accounts about requests. Without accounts, the guard of the control API decides alone.
import type { ServerResponse } from "node:http";
import type { Exchange, Routed } from "./exchange.ts";

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

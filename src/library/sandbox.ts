// A sandbox as the library gives it: a world of its own, and the way to more of them.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { World } from "./types.ts";
import type { WorldOptions } from "./world-options.ts";

/** A world, and the sandbox around it. The world is `default` where the sandbox was started, and a new one in a sandbox that ran already. */
export interface Sandbox extends World {
  readonly controlUrl: string;
  readonly controlToken: string;
  /** A world of its own: other state, clock, credentials, journal and faults. One per test. */
  world(options?: WorldOptions): Promise<World>;
  /**
   * Ends the sandbox; nothing stays open. One that ran already goes on, and the worlds that were made in it here are removed.
   * `await using` does it at the end of the block.
   */
  close(): Promise<void>;
}

/** Answers every request: mount it behind routes of your own, or under a path. `next` is never called. */
export type Handler = (request: IncomingMessage, response: ServerResponse, next?: (reason?: unknown) => void) => void;

/** With `listen: false`: a sandbox without a port, in an app of yours. */
export interface MountedSandbox extends Sandbox {
  /**
   * Answers requests as a handler of Express (`app.use(sandbox.handler)`, also under a path), of `node:http`, or of supertest. Addresses in
   * answers are those that the request was sent to; `url` is `http://localhost`, where only the methods here reach it. Once the sandbox is
   * closed, every request is answered with 503.
   */
  readonly handler: Handler;
}

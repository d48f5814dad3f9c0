// A sandbox as the library gives it: a world of its own, and the way to more of them.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { World } from "./types.ts";
import type { WorldOptions } from "./world-options.ts";

/** The sandbox and its first world: `default` in a sandbox that was started, a new world in one that ran already. */
export interface Sandbox extends World {
  readonly controlUrl: string;
  readonly controlToken: string;
  /** Creates an isolated world with its own state, clock, credentials, log and faults: one per test. */
  world(options?: WorldOptions): Promise<World>;
  /**
   * Stops the sandbox. A sandbox that ran already keeps running, without the worlds that were created here.
   * `await using` does it at the end of the block.
   */
  close(): Promise<void>;
}

/** A router as Express, `node:http` and supertest take it. It needs no types of Express. */
export type SandboxRouter = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (reason?: unknown) => void,
) => void;

/** @deprecated The name of SandboxRouter in 0.2.0. */
export type Handler = SandboxRouter;

/** A sandbox without a port (`listen: false`), in your app. */
export interface MountedSandbox extends Sandbox {
  /**
   * Serves requests in an app of Express (`app.use(sandbox.router)`, or `app.use("/mock", sandbox.router)`), in a server of `node:http`
   * (`http.createServer(sandbox.router)`), or for supertest (`supertest(sandbox.router)`). Addresses in responses are those that the request
   * was sent to; `url` is `http://localhost`, where only the methods here reach the sandbox. At the root of an app, a request for a path that
   * the sandbox does not have goes to the next route of the app; under a path, the sandbox responds with 404. Once the sandbox is closed, it
   * responds to every request with 503.
   */
  readonly router: SandboxRouter;
  /** @deprecated Use `router`, which is the same function. */
  readonly handler: SandboxRouter;
}

// The types of a sandbox in the library: its first world, and methods for more worlds.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { World } from "./types.ts";
import type { WorldOptions } from "./world-options.ts";

/** A sandbox and its first world: `default` in a started sandbox, or a new world in one that was running already. */
export interface Sandbox extends World {
  readonly controlUrl: string;
  readonly controlToken: string;
  /** Creates an isolated world with its own state, clock, credentials, log and faults: one per test. */
  world(options?: WorldOptions): Promise<World>;
  /**
   * Stops the sandbox. A sandbox that was running already keeps running, but the worlds that were created here are removed. `await using`
   * calls this at the end of the block.
   */
  close(): Promise<void>;
}

/** A request handler for Express, `node:http` and supertest. It does not require the types of Express. */
export type SandboxRouter = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (reason?: unknown) => void,
) => void;

/** @deprecated The name of SandboxRouter in 0.2.0. */
export type Handler = SandboxRouter;

/** A sandbox without a port (`listen: false`), mounted in your app. */
export interface MountedSandbox extends Sandbox {
  /**
   * Serves requests in an Express app (`app.use(sandbox.router)`, or `app.use("/mock", sandbox.router)`), in a server of `node:http`
   * (`http.createServer(sandbox.router)`), or for supertest (`supertest(sandbox.router)`). Addresses in responses are those of the request.
   * `url` is `http://localhost`, at which only the methods of this object reach the sandbox. At the root of an app, a request for an unknown
   * path goes to the next route of the app; under a path, the sandbox responds with 404. After `close()`, it responds to every request with
   * 503.
   */
  readonly router: SandboxRouter;
  /** @deprecated Use `router`, which is the same function. */
  readonly handler: SandboxRouter;
}

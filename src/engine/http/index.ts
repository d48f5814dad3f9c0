// The entry point of the HTTP transport: the app, its server and its router.
export { createApp } from "./app.ts";
export { listCredentials } from "./control/worlds.ts";
export type { SandboxRouter } from "./exchange.ts";
export { listBindingOverrides, patchDocument } from "./in-force.ts";
export { createInProcessServer, NO_PORT } from "./in-process.ts";
export { preparePrism } from "./request-validation.ts";
export { isSameSecret } from "./same-secret.ts";
export { createMountedRouter } from "./sandbox-router.ts";
export {
  assertFreePort,
  createServer,
  listen,
  PortError,
  type ServerCertificate,
  type Serving,
  serve,
} from "./serve.ts";

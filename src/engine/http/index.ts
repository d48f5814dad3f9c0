// The entry point of the HTTP transport: the app, its server and its router.
export { createApp } from "./app.ts";
export { listCredentials } from "./control/worlds.ts";
export { listBindingOverrides, patchDocument } from "./in-force.ts";
export { createInProcessServer, NO_PORT } from "./in-process.ts";
export { PortError } from "./port-error.ts";
export { preparePrism } from "./request-validation.ts";
export { isSameSecret } from "./same-secret.ts";
export { createMountedRouter, type SandboxRouter } from "./sandbox-router.ts";
export { assertFreePort, createServer, listen, type ServerCertificate, type Serving, serve } from "./serve.ts";

// The entry point for a module that adds middlewares and routes to the HTTP transport.
export type { Access, WorldLease } from "../access.ts";
export { BODY_LIMIT } from "../body.ts";
export { HttpError } from "../errors.ts";
export { type Answer, type Caller, type Exchange, isRouted, type Route, type Routed, readHeader } from "../exchange.ts";
export { BREAK, HOP } from "../hop.ts";
export { createNoWorld, createWorldExists, hasWorldParameter, OF_SESSION, resolveNamedWorld } from "../named-world.ts";
export { receiveBody } from "../receive-body.ts";
export type { Match, Middleware, NextFunction, SandboxRequest } from "../sandbox-router.ts";
export { TOKEN_PATH } from "../token-endpoint.ts";

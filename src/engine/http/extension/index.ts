// The entry point for a module that adds middlewares and routes to the HTTP transport.

export { BODY_LIMIT, receiveBody } from "../body.ts";
export {
  createNoWorld,
  createWorldExists,
  hasWorldParameter,
  OF_SESSION,
  resolveNamedWorld,
} from "../control/handler.ts";
export { HttpError } from "../errors.ts";
export type {
  Access,
  Answer,
  Caller,
  Exchange,
  Match,
  Middleware,
  NextFunction,
  Route,
  Routed,
  SandboxRequest,
  WorldLease,
} from "../exchange.ts";
export { BREAK, HOP, isRouted, readHeader, TOKEN_PATH } from "../exchange.ts";

// The sandbox with a database: many nodes, with teams. Loaded with --database only.
export { createAccess } from "./control/access.ts";
export { createDirectory } from "./control/directory.ts";
export { createHandlers } from "./control/handlers.ts";
export { makeGate } from "./gate/gate.ts";
export { beginDefault } from "./ownership/begin-default.ts";
export { type Hosted, HostedNode } from "./ownership/hosted-node.ts";
export { findOwnUrl } from "./ownership/node-url.ts";
export { openDatabase } from "./postgres/open.ts";
export type { SharedStore } from "./postgres/shared-store.ts";
export { registerStoreMetrics } from "./postgres/store-figures.ts";
export type { TeamStore } from "./postgres/team-use.ts";
export { SHARED_COOKIE } from "./teams/principals.ts";
export { Teams } from "./teams/teams.ts";
export { createWebhookLimits } from "./teams/webhook-limits.ts";

// The sandbox with a database: many nodes, with teams. Loaded with --database only.
export { createAccess } from "./control/access.ts";
export { createDirectory, createHandlers } from "./control/handlers.ts";
export { createGate } from "./gate/gate.ts";
export { HostedNode } from "./ownership/hosted-node.ts";
export { findOwnUrl } from "./ownership/node-url.ts";
export { openDatabase, type SharedStore } from "./postgres/store.ts";
export type { TeamStore } from "./postgres/team-store.ts";
export { Teams } from "./teams/teams.ts";
export { createWebhookLimits } from "./teams/webhook-limits.ts";

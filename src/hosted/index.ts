// All that only a sandbox on a database needs, as one door: it is loaded late, so that a single process pays nothing for it.

export { beginDefault } from "./ownership/begin-default.ts";
export { makeHosted } from "./ownership/make-hosted.ts";
export { nodeUrl } from "./ownership/node-url.ts";
export { createNodeNumbers } from "./ownership/numbers.ts";
export { DatabaseEntries } from "./postgres/entry-store.ts";
export { openDatabase } from "./postgres/open.ts";
export type { SharedStore } from "./postgres/store-interface.ts";
export { makeTeams } from "./teams/make-teams.ts";
export { removeUnusedRegularly as keepTidy } from "./teams/unused.ts";
export { durableAndKnown, webhookLimits } from "./teams/webhook-limits.ts";

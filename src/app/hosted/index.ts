// All that only a sandbox on a database needs, as one door: it is loaded late, so that a single process pays nothing for it.
export { openDatabase } from "../../world/store/postgres/open.ts";
export { makeHosted } from "./make-hosted.ts";
export { makeTeams } from "./make-teams.ts";
export { nodeUrl } from "./node-url.ts";
export { keepTidy } from "./unused.ts";
export { durableAndKnown, webhookLimits } from "./webhook-limits.ts";

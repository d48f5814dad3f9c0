// The operations of the control API that a sandbox with a database adds or replaces.
import type { Teams } from "../teams/teams.ts";
import { createAuditHandlers } from "./audit.ts";
import { createControlTokenHandlers } from "./control-tokens.ts";
import { createMemberHandlers } from "./members.ts";
import { createQuotaHandlers } from "./quotas.ts";
import { createSignInHandlers } from "./sign-in.ts";
import { createTeamHandlers } from "./teams.ts";

export const createHandlers = (teams: Teams) => ({
  ...createSignInHandlers(teams),
  ...createTeamHandlers(teams),
  ...createQuotaHandlers(teams),
  ...createMemberHandlers(teams),
  ...createControlTokenHandlers(teams),
  ...createAuditHandlers(teams),
});

// The operations of the control API that a sandbox with a database adds or replaces.
import type { Teams } from "../teams/teams.ts";
import { auditHandlers } from "./audit.ts";
import { controlTokenHandlers } from "./control-tokens.ts";
import { memberHandlers } from "./members.ts";
import { quotaHandlers } from "./quotas.ts";
import { signInHandlers } from "./sign-in.ts";
import { teamHandlers } from "./teams.ts";

export const createHandlers = (teams: Teams) => ({
  ...signInHandlers(teams),
  ...teamHandlers(teams),
  ...quotaHandlers(teams),
  ...memberHandlers(teams),
  ...controlTokenHandlers(teams),
  ...auditHandlers(teams),
});

// The quotas of a team, and the webhook targets in private networks that the operator allows it.
import type { Schemas } from "../../contract/schemas.ts";
import { rejectInput } from "../../engine/domain/index.ts";
import { defineHandlers, ok } from "../../engine/http/control/index.ts";
import type { Answer } from "../../engine/http/extension/index.ts";
import { explainInvalidTarget } from "../teams/private-targets.ts";
import type { TeamRow } from "../teams/team-rows.ts";
import type { Teams } from "../teams/teams.ts";
import { createNoTeam, showTeam } from "./team.ts";

/** The specification has the same limit for one list. */
const MAX_TARGETS = 100;

/** Throws 400. `path`: of the list in the request. */
function assertTargets(items: readonly string[], path: string): void {
  for (const [at, item] of items.entries()) {
    const why = explainInvalidTarget(item);
    if (why) rejectInput(`${path}.${at}`, `${item.slice(0, 100)} ${why}`);
  }
}

/** Null removes a limit. */
const changeQuotas = (quotas: TeamRow["quotas"], changes: Schemas["QuotaChanges"]): TeamRow["quotas"] =>
  Object.fromEntries(Object.entries({ ...quotas, ...changes }).filter(([, most]) => most !== null));

/** Throws 404. */
async function changeTeam(
  { store }: Teams,
  id: string,
  change: Parameters<Teams["store"]["changeTeam"]>[1],
): Promise<Answer> {
  const row = await store.changeTeam(id, change);
  if (!row) throw createNoTeam(id);
  return ok(showTeam(row));
}

export const createQuotaHandlers = (teams: Teams) =>
  defineHandlers({
    setTeamQuotas: ({ path, body }) => changeTeam(teams, path.teamId, () => ({ quotas: body })),
    changeTeamQuotas: ({ path, body }) =>
      changeTeam(teams, path.teamId, ({ quotas }) => ({ quotas: changeQuotas(quotas, body) })),
    setWebhookTargets({ path, body }) {
      assertTargets(body.items, "body.items");
      return changeTeam(teams, path.teamId, () => ({ targets: [...new Set(body.items)] }));
    },
    async changeWebhookTargets({ path, body: { add = [], remove = [] } }) {
      assertTargets(add, "body.add");
      let count = 0;
      const answer = await changeTeam(teams, path.teamId, (team) => {
        const others = team.targets.filter((each) => !remove.includes(each));
        const targets = [...new Set([...others, ...add])];
        count = targets.length;
        return count > MAX_TARGETS ? {} : { targets };
      });
      if (count <= MAX_TARGETS) return answer;
      const what = `the team ${path.teamId} would have ${count} webhook targets, and may have ${MAX_TARGETS}. Remove some, or name a range.`;
      return rejectInput("body.add", what);
    },
  });

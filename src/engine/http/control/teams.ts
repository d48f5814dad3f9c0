// Teams, their members and quotas. The guard has checked who asks; all of it needs a database.

import type { Schemas } from "../../../contract/schemas.ts";
import type { RequestsPort, Teams, TeamsPort, WorldsPort } from "../../app/application.ts";
import type { TeamRow } from "../../app/team-store.ts";
import { whyNotPrivateTarget } from "../../domain/company/private-targets.ts";
import { reject } from "../../domain/kernel/domain-error.ts";
import { HttpError } from "../errors.ts";
import type { Answer } from "../exchange.ts";
import { rejectNul } from "../teams/admission.ts";
import { makeDefaultWorld, noTeam } from "../teams/default-world.ts";
import { done, handlersWith, ok } from "./handler.ts";

/** Without a database there is nobody to tell apart. */
export function teamsOf({ teams }: TeamsPort): Teams {
  if (teams) return teams;
  throw new HttpError(
    409,
    "This sandbox has no teams: they are kept in a database. Start it with the option `database`, such as postgres://user@host/name.",
    { code: "NO_DATABASE" },
  );
}

const viewOf = ({ id, name, quotas, targets, created_at }: TeamRow) => ({
  ...{ id, name, created_at, default_world: id, quotas },
  webhook_targets: targets,
});

/** Rejects with 404. */
export async function teamCalled(teams: Teams, id: string): Promise<TeamRow> {
  const [team] = await teams.store.teams(id);
  if (!team) throw noTeam(id);
  return team;
}

/** As the specification has it for all of them at once. */
const MOST_TARGETS = 100;

/** Rejects with 400. `path`: where they stand in the request. */
function mustBeTargets(items: readonly string[], path: string): void {
  for (const [at, item] of items.entries()) {
    const why = whyNotPrivateTarget(item);
    if (why) reject("INVALID_INPUT", { path: `${path}.${at}`, what: `${item.slice(0, 100)} ${why}` });
  }
}

/** Null takes a limit away. */
const withChanges = (quotas: TeamRow["quotas"], changes: Schemas["QuotaChanges"]): TeamRow["quotas"] =>
  Object.fromEntries(Object.entries({ ...quotas, ...changes }).filter(([, most]) => most !== null));

/** Rejects with 404. */
async function changed(
  application: TeamsPort,
  id: string,
  change: Parameters<Teams["store"]["changeTeam"]>[1],
): Promise<Answer> {
  const row = await teamsOf(application).store.changeTeam(id, change);
  if (!row) throw noTeam(id);
  return ok(viewOf(row));
}

export const teams = handlersWith<TeamsPort & WorldsPort & RequestsPort>()({
  whoAmI({ exchange }) {
    const operator = { role: "operator", team: null, subject: "operator", token: "", expires_at: null };
    const { role, team, subject, token, expires_at } = exchange.principal ?? operator;
    return ok({ role, team, subject, token, expires_at, default_world: team ?? "default" });
  },
  async listTeams({ application, exchange }) {
    const rows = await teamsOf(application).store.teams(exchange.principal?.team ?? undefined);
    return ok({ items: rows.map(viewOf) });
  },
  async createTeam({ application, body }) {
    const { id, name = id, quotas = {} } = body;
    if (name.includes("\0")) rejectNul("body.name");
    // `default` names the default world of whoever asks.
    const row = id === "default" ? undefined : await teamsOf(application).store.addTeam({ id, name, quotas });
    if (row) {
      // So that a member can begin at once.
      makeDefaultWorld(application, teamsOf(application), id);
      return { status: 201, body: viewOf(row) };
    }
    const message = `There is a team or a world ${id} already. Choose another id: it is the name of the team's default world too.`;
    throw new HttpError(409, message, { code: "TEAM_EXISTS" });
  },
  async getTeam({ application, path }) {
    const { store } = teamsOf(application);
    const team = await teamCalled(teamsOf(application), path.teamId);
    const [sizes, used] = await Promise.all([store.sizes(team.id), store.used(team.id)]);
    const usage = {
      worlds: sizes.length,
      bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
      largest_world: sizes[0] ?? null,
      requests_per_minute: used.requests,
      webhook_attempts_per_minute: used.attempts,
    };
    return ok({ ...viewOf(team), usage });
  },
  async deleteTeam({ application, path: { teamId } }) {
    const { store } = teamsOf(application);
    const { id } = await teamCalled(teamsOf(application), teamId);
    // A team goes only with its own default world, and only when that is the last.
    const [others, own] = [(await store.sizes(id)).filter((world) => world.id !== id), application.worlds.get(id)];
    if (others.length === 0 && own) {
      application.states.remove(own);
      // The database must know that it is gone before the team is.
      await application.durable(id);
    }
    // Another world may have been made meanwhile.
    const left = others.length || (await store.removeTeam(id));
    if (left === undefined) throw noTeam(id);
    if (left === 0) return done;
    const names = others.slice(0, 5).map((world) => world.id);
    const named = others.length > names.length ? [...names, "…"] : names;
    const message = `The team ${id} has ${left} ${left === 1 ? "world" : "worlds"} beside its default world (${named.join(", ")}). Remove ${left === 1 ? "it" : "them"} first.`;
    throw new HttpError(409, message, { code: "TEAM_HAS_WORLDS" });
  },
  setTeamQuotas: ({ application, path, body }) => changed(application, path.teamId, () => ({ quotas: body })),
  changeTeamQuotas: ({ application, path, body }) =>
    changed(application, path.teamId, ({ quotas }) => ({ quotas: withChanges(quotas, body) })),
  setWebhookTargets({ application, path, body }) {
    mustBeTargets(body.items, "body.items");
    // Each once.
    return changed(application, path.teamId, () => ({ targets: [...new Set(body.items)] }));
  },
  async changeWebhookTargets({ application, path, body: { add = [], remove = [] } }) {
    mustBeTargets(add, "body.add");
    let most = 0;
    const answer = await changed(application, path.teamId, (team) => {
      const others = team.targets.filter((each) => !remove.includes(each));
      const targets = [...new Set([...others, ...add])];
      most = targets.length;
      return most > MOST_TARGETS ? {} : { targets };
    });
    if (most <= MOST_TARGETS) return answer;
    const what = `the team ${path.teamId} would have ${most} webhook targets, and may have ${MOST_TARGETS}. Remove some, or name a range.`;
    return reject("INVALID_INPUT", { path: "body.add", what });
  },
  async listMembers({ application, path }) {
    const { id } = await teamCalled(teamsOf(application), path.teamId);
    return ok({ items: await teamsOf(application).store.members(id) });
  },
  async setMember({ application, path, body }) {
    const { id } = await teamCalled(teamsOf(application), path.teamId);
    return ok(await teamsOf(application).store.setMember(id, path.subject, body.role));
  },
  async removeMember({ application, path }) {
    if (await teamsOf(application).store.removeMember(path.teamId, path.subject)) return done;
    throw new HttpError(404, `The team ${path.teamId} has no member ${path.subject}.`, {
      list: "GET /_sandbox/teams/{teamId}/members",
    });
  },
});

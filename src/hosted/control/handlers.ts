// The operations of the control API that a sandbox with a database adds or replaces: teams with their quotas, members
// and tokens, the audit log, and the sign-in of browsers. Admission has checked the caller.
import controlOperations from "../../contract/generated/control-operations.json" with { type: "json" };
import type { Schemas } from "../../contract/schemas.ts";
import type { WorldDirectory } from "../../engine/app/index.ts";
import { isDuration, rejectInput } from "../../engine/domain/index.ts";
import {
  CHALLENGE,
  createCookie,
  createSignInResponse,
  defineHandlers,
  describeUnknownOperation,
  done,
  ok,
  type Requested,
} from "../../engine/http/control/index.ts";
import { type Answer, createWorldExists, HttpError } from "../../engine/http/extension/index.ts";
import { optional } from "../../platform/optional.ts";
import type { HostedNode } from "../ownership/hosted-node.ts";
import { readSession, SHARED_COOKIE, type Teams } from "../teams/teams.ts";
import { explainInvalidTarget } from "../teams/webhook-limits.ts";
import { createDefaultWorld, createNoTeam, createVisitor, findVisitor } from "./access.ts";

const OPERATIONS = controlOperations.map(({ iid }) => iid ?? "");

export const createHandlers = (teams: Teams, hosted: HostedNode) => ({
  ...createTeamHandlers(teams, hosted),
  ...createQuotaHandlers(teams),
  ...createMemberHandlers(teams),
  ...createTokenHandlers(teams),
  ...createSignInHandlers(teams),
  ...createAuditHandlers(teams),
});

const createTeamHandlers = (teams: Teams, hosted: HostedNode) =>
  defineHandlers({
    async listTeams({ exchange }) {
      return ok({ items: await teams.store.teams(exchange.caller?.account ?? undefined) });
    },
    async createTeam({ application, body }) {
      const { id, name = id, quotas = {} } = body;
      // `default` names the default world of the caller.
      const row = id === "default" ? undefined : await teams.store.addTeam({ id, name, quotas });
      if (row) {
        // A member can begin at once, with other numbers than a removed team of this id.
        await hosted.visit(id);
        createDefaultWorld(application, teams, id);
        return { status: 201, body: row };
      }
      const message = `There is a team or a world ${id} already. Choose another id: it is the name of the team's default world too.`;
      throw new HttpError(409, message, { code: "TEAM_EXISTS" });
    },
    async getTeam({ path }) {
      const team = await findTeam(teams, path.teamId);
      const [sizes, requests] = await Promise.all([teams.store.sizes(team.id), teams.store.countRequests(team.id)]);
      const usage = {
        worlds: sizes.length,
        bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
        largest_world: sizes[0] ?? null,
        requests_per_minute: requests,
      };
      return ok({ ...team, usage });
    },
    deleteTeam: (requested) => deleteTeam(requested, teams),
  });

const createQuotaHandlers = (teams: Teams) =>
  defineHandlers({
    setTeamQuotas: ({ path, body }) => changeTeam(teams, path.teamId, "setQuotas", body),
    changeTeamQuotas: ({ path, body }) => changeTeam(teams, path.teamId, "changeQuotas", body),
    setWebhookTargets({ path, body }) {
      assertTargets(body.items, "body.items");
      return changeTeam(teams, path.teamId, "setTargets", [...new Set(body.items)]);
    },
    changeWebhookTargets({ path, body: { add = [], remove = [] } }) {
      assertTargets(add, "body.add");
      // No target has a NUL, which PostgreSQL rejects.
      const removed = remove.filter((each) => !each.includes("\0"));
      return changeTeam(teams, path.teamId, "changeTargets", [...new Set(add)], removed);
    },
  });

const createMemberHandlers = ({ store }: Teams) =>
  defineHandlers({
    async listMembers({ path }) {
      const { id } = await findTeam({ store }, path.teamId);
      return ok({ items: await store.members(id) });
    },
    async setMember({ path, body }) {
      const { id } = await findTeam({ store }, path.teamId);
      return ok(await store.setMember(id, path.subject, body.role));
    },
    async removeMember({ path }) {
      if (await store.removeMember(path.teamId, path.subject)) return done;
      throw createMissing(path.teamId, `member ${path.subject}`, "members");
    },
  });

const createTokenHandlers = (teams: Teams) =>
  defineHandlers({
    async listControlTokens({ path }) {
      const { id } = await findTeam(teams, path.teamId);
      return ok({ items: await teams.store.tokens(id) });
    },
    /** Admission accepts only owners and the operator here, so the role of the token is not above that of its creator. */
    async createControlToken({ path, body, exchange }) {
      // A request without a subject creates a token for the caller.
      const { role, expires, subject = findVisitor(exchange)?.principal?.subject ?? "operator" } = body;
      if (expires !== undefined && !isDuration(expires))
        rejectInput(
          "body.expires",
          `${expires} is not an ISO 8601 duration. Write P90D for ninety days, or PT8H for eight hours.`,
        );
      const { id } = await findTeam(teams, path.teamId);
      const created = await teams.createToken({ team: id, role, subject, expires });
      if (!created) return rejectInput("body.expires", `${expires} ends before it begins. Write P90D for ninety days.`);
      const { row, token } = created;
      // The token is only in this response. The database has its hash.
      return { status: 201, headers: { "cache-control": "no-store" }, body: { ...row, team: id, token } };
    },
    async revokeControlToken({ path }) {
      if (await teams.store.revokeToken(path.teamId, path.tokenId)) return done;
      throw createMissing(path.teamId, `token ${path.tokenId}`, "tokens");
    },
  });

/** A browser signs in with a token of a team or with the control token, and gets a cookie that its scripts cannot read. */
const createSignInHandlers = (teams: Teams) =>
  defineHandlers({
    async openSession({ body, exchange }) {
      const outcome = await teams.signIn(body.token);
      const isRejected = "why" in outcome;
      // The audit log names the caller.
      const visitor = createVisitor(isRejected ? undefined : outcome.principal, false);
      exchange.caller = visitor;
      if (!isRejected) return createSignInResponse(exchange, SHARED_COOKIE, outcome.id, outcome.seconds);
      visitor.unknown = outcome;
      throw new HttpError(401, `${outcome.why} Ask an owner of your team for a token.`, { headers: CHALLENGE });
    },
    async closeSession({ exchange }) {
      const id = readSession(exchange.headers);
      if (id !== undefined) await teams.signOut(id);
      // Removes the cookie even if the id is unknown.
      return { status: 204, headers: createCookie(exchange, SHARED_COOKIE, "", 0) };
    },
    whoAmI({ exchange }) {
      const principal = findVisitor(exchange)?.principal;
      return ok({ ...principal, default_world: principal?.team ?? "default" });
    },
  });

const createAuditHandlers = ({ store }: Teams) =>
  defineHandlers({
    async listAudit({ query, exchange }) {
      const { about_world: world, cursor, limit = 100, team, action, ...rest } = query;
      if (action !== undefined && !OPERATIONS.includes(action))
        rejectInput("query.action", describeUnknownOperation(action, OPERATIONS));
      const wanted = { ...rest, action, world, before: cursor, team: exchange.caller?.account ?? team };
      const rows = await store.audit({ ...wanted, limit: limit + 1 });
      const items = rows.slice(0, limit);
      return ok({ items, ...optional({ next: rows.length > limit ? items.at(-1)?.id : undefined }) });
    },
  });

/** Rejects with 404. */
async function findTeam({ store }: Pick<Teams, "store">, id: string): Promise<Schemas["Team"]> {
  const [team] = await store.teams(id);
  if (!team) throw createNoTeam(id);
  return team;
}

/** Throws 404. */
async function changeTeam({ store }: Teams, ...change: Parameters<Teams["store"]["changeTeam"]>): Promise<Answer> {
  const row = await store.changeTeam(...change);
  if (!row) throw createNoTeam(change[0]);
  return ok(row);
}

/** Throws 400. `path`: of the list in the request. */
function assertTargets(items: readonly string[], path: string): void {
  for (const [at, item] of items.entries()) {
    const why = explainInvalidTarget(item);
    if (why) rejectInput(`${path}.${at}`, `${item.slice(0, 100)} ${why}`);
  }
}

const createMissing = (team: string, what: string, list: "members" | "tokens"): HttpError =>
  new HttpError(404, `The team ${team} has no ${what}.`, { list: `GET /_sandbox/teams/{teamId}/${list}` });

/** Deletes a team with its default world, if it has no other. */
async function deleteTeam({ application, path: { teamId } }: Requested<"deleteTeam">, teams: Teams): Promise<Answer> {
  const { id } = await findTeam(teams, teamId);
  const others = (await teams.store.sizes(id)).filter((world) => world.id !== id);
  const own = application.worlds.get(id);
  if (others.length === 0 && own) {
    application.states.remove(own);
    // The world must be removed from the database before the team.
    await application.waitUntilDurable(id);
  }
  // Another world may have been created since.
  const count = others.length || (await teams.store.removeTeam(id));
  if (count === 0) return done;
  const names = others.slice(0, 5).map((world) => world.id);
  const excerpt = [...names, ...(others.length > names.length ? ["…"] : [])].join(", ");
  const [noun, pronoun] = count === 1 ? ["world", "it"] : ["worlds", "them"];
  const message = `The team ${id} has ${count} ${noun} beside its default world (${excerpt}). Remove ${pronoun} first.`;
  throw new HttpError(409, message, { code: "TEAM_HAS_WORLDS" });
}

/** The worlds of all nodes and their teams. */
export function createDirectory(store: Pick<WorldDirectory, "list">, hosted: HostedNode, teams: Teams): WorldDirectory {
  return {
    list: (account) => store.list(account),
    release: (world) => hosted.release(world),
    async prepare({ account, id, copyOf }) {
      const team = copyOf === undefined ? account : ((await teams.findTeam(copyOf)) ?? null);
      if (id !== undefined) {
        await assertFreeId(teams, team, id);
        await hosted.visit(id);
      }
      // The first commit needs the team, and is rejected if the team has no room.
      return (create) => teams.runForTeam(team, create);
    },
  };
}

/** Ids of worlds are unique over all teams. The id of a team is that of its default world. */
async function assertFreeId(teams: Teams, team: string | null, id: string): Promise<void> {
  const isOfTeam = id !== team && (await teams.store.teams(id)).length > 0;
  if (isOfTeam || (await teams.findTeam(id)) !== undefined) throw createWorldExists(id);
}

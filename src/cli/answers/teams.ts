// Commands of shared sandboxes: teams with their quotas and members, control tokens, and the audit log.
import type { Schemas } from "../../client/control.ts";
import rows from "../../contract/generated/commands.json" with { type: "json" };
import type { Answer } from "../answer.ts";
import type { Client } from "../client.ts";
import { type Call, type Option, option } from "../command.ts";
import { Misuse } from "../failure.ts";
import { escapeText, formatColumns } from "../terminal/terminal.ts";

const ROLES = ["owner", "developer", "viewer"] as const;
const removeOption: Option = option.flag("remove", "Remove instead of adding.");
const roleOption = option.text("role", "R", "Give the member this role.", { choices: ROLES });

type TeamDetails = Schemas["Team"] & Partial<Pick<Schemas["TeamShown"], "usage">>;

/** Formats the name of each quota and its limit, after the use if that is known. */
const formatQuotas = ({ quotas, usage }: TeamDetails): string[][] =>
  rows.quotas.map(({ member, unit }) => {
    const [used, most = "no limit"] = [usage, quotas].map((each) => each?.[member]?.toLocaleString("en-US"));
    return [unit, used === undefined ? most : `${used} of ${most}`];
  });

const formatTeam = (team: TeamDetails): string[] =>
  formatColumns([
    ["team", `${team.id} ${team.name === team.id ? "" : escapeText(team.name)}`],
    ...formatQuotas(team),
    ["webhooks", ["public addresses", ...team.webhook_targets].join(", ")],
  ]);

const formatTeams = ({ items }: Schemas["TeamList"]): string[] =>
  formatColumns(items.map((team) => [team.id, ...formatQuotas(team).map((pair) => pair.join(" "))]));

/** Sets the named quotas; `none` removes a quota. */
const quota: Answer<Schemas["Team"]> = {
  check({ args: [id], given }) {
    if (rows.quotas.every(({ option }) => given.text(option) === undefined))
      throw new Misuse(`Name a quota to set, such as --worlds 20. See them with: sandbox team show ${id}.`);
  },
  prepare(input, { given }) {
    const none = rows.quotas.filter(({ option }) => given.text(option) === "none");
    input.body = { ...input.body, ...Object.fromEntries(none.map(({ member }) => [member, null])) };
  },
  show: formatTeam,
};

const allow: Answer<Schemas["Team"]> = {
  options: [removeOption],
  changes: ({ args: [team, ...targets] }) => (targets.length > 0 ? `team ${team}` : undefined),
  async prepare(input, { args: [teamId = "", ...targets], given }, { ask, control }) {
    // The command only lists the allowed addresses if none is named.
    if (targets.length === 0) return ask(control.GET("/_sandbox/teams/{teamId}", { params: { path: { teamId } } }));
    if (given.flag("remove")) input.body = { remove: targets };
    return undefined;
  },
  show({ id, webhook_targets: all }, { terminal }) {
    if (all.length === 0) terminal.say(`Webhooks of the team ${id} reach public addresses only.`);
    return all;
  },
};

function mustNameMember({ args: [teamId, subject], given }: Call): void {
  const [role, isRemoval] = [given.text("role"), given.flag("remove")];
  // A role without a member is probably a mistake, which listing the members would hide.
  if (subject === undefined && (role !== undefined || isRemoval))
    throw new Misuse(
      `Name the member: sandbox team members ${teamId} <subject> ${isRemoval ? "--remove" : `--role ${role}`}.`,
    );
  if (subject !== undefined && (role === undefined) !== isRemoval)
    throw new Misuse(`Give ${subject} a role with --role, or remove the member with --remove.`);
}

/** Changes the member, if one is named, before the members are listed. */
async function changeMember({ args: [teamId = "", subject], given }: Call, { ask, control }: Client): Promise<void> {
  if (subject === undefined) return;
  const params = { path: { teamId, subject } };
  const role = given.text("role") as (typeof ROLES)[number] | undefined;
  if (role === undefined) await ask(control.DELETE("/_sandbox/teams/{teamId}/members/{subject}", { params }));
  else await ask(control.PUT("/_sandbox/teams/{teamId}/members/{subject}", { params, body: { role } }));
}

const members: Answer = {
  options: [roleOption, removeOption],
  check: mustNameMember,
  changes: ({ args: [team, subject] }) => (subject === undefined ? undefined : `team ${team}`),
  prepare: (_, call, client) => changeMember(call, client),
};

// The token alone goes to stdout, so that scripts can use `$(sandbox token create)`.
const tokenCreation: Answer<Schemas["NewControlToken"]> = {
  show({ token, id, subject, role, team, expires_at }, { terminal }) {
    terminal.print(token);
    const until = expires_at === null ? "until it is revoked" : `until ${expires_at}`;
    terminal.say(`Token ${id} of ${subject}, ${role} in the team ${team}, ${until}. It is not shown again.`);
    return [];
  },
};

export const teams: Readonly<Record<string, Answer>> = {
  "team list": { show: formatTeams },
  "team show": { show: formatTeam },
  "team quota": quota,
  "team allow": allow,
  "team members": members,
  "token create": tokenCreation,
};

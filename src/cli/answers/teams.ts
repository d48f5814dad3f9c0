// Commands of shared sandboxes: teams with their quotas and members, control tokens, and the audit log.
import type { Schemas } from "../../client/control.ts";
import rows from "../../contract/generated/commands.json" with { type: "json" };
import type { Answer, CallInput } from "../answer.ts";
import type { Client } from "../client.ts";
import { type Call, type Option, option } from "../command.ts";
import { Misuse } from "../failure.ts";
import { formatColumns } from "../terminal/terminal.ts";

type Team = Schemas["Team"];
type Quotas = Schemas["Quotas"];

const { quotas: QUOTAS } = rows;
const ROLES = ["owner", "developer", "viewer"] as const;
const removeOption: Option = option.flag("remove", "Remove instead of adding.");
const roleOption = option.text("role", "R", "Give the member this role.", { choices: ROLES });

// The separator is a comma, as in the sandbox's own messages.
const formatQuantity = (amount: number): string => amount.toLocaleString("en-US");

function formatQuotas(quotas: Quotas): string {
  const limits = QUOTAS.flatMap(({ member, unit }) => {
    const most = quotas[member];
    return most === undefined ? [] : [`${formatQuantity(most)} ${unit}`];
  });
  return limits.length === 0 ? "no limits" : limits.join(", ");
}

function formatTeam({ id, name, quotas, usage, webhook_targets }: Schemas["TeamShown"]): string[] {
  const lines = QUOTAS.map(({ member, unit }) => {
    const most = quotas[member];
    return [`  ${unit}`, formatQuantity(usage[member]), `of ${most === undefined ? "no limit" : formatQuantity(most)}`];
  });
  const targets =
    webhook_targets.length === 0 ? "public addresses only" : `public addresses, ${webhook_targets.join(", ")}`;
  return [`Team ${id}${name === id ? "" : ` (${name})`}`, ...formatColumns(lines), `  Webhooks reach ${targets}`];
}

const toTeamParams = ({ path }: CallInput) => ({ path: { teamId: path?.teamId ?? "" } });

/** Sets the named quotas; `none` removes a quota. */
const quota: Answer<Team> = {
  check({ args: [id], given }) {
    if (QUOTAS.every(({ option }) => given.text(option) === undefined))
      throw new Misuse(`Name a quota to set, such as --worlds 20. See them with: sandbox team show ${id}.`);
  },
  prepare(input, { given }) {
    const none = QUOTAS.filter(({ option }) => given.text(option) === "none");
    input.body = { ...input.body, ...Object.fromEntries(none.map(({ member }) => [member, null])) };
  },
  show: ({ id, quotas }) => [`Team ${id}: ${formatQuotas(quotas)}.`],
};

const allow: Answer<Team> = {
  options: [removeOption],
  changes: ({ args: [team, ...targets] }) => (targets.length > 0 ? `team ${team}` : undefined),
  async prepare(input, { args: [, ...targets], given }, { ask, control }) {
    // The command only lists the allowed addresses if none is named.
    if (targets.length === 0) return ask(control.GET("/_sandbox/teams/{teamId}", { params: toTeamParams(input) }));
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

const members: Answer<Schemas["TeamMemberList"]> = {
  options: [roleOption, removeOption],
  check: mustNameMember,
  changes: ({ args: [team, subject] }) => (subject === undefined ? undefined : `team ${team}`),
  prepare: (_, call, client) => changeMember(call, client),
  show: ({ items }) => formatColumns(items.map(({ subject, role }) => [subject, role])),
};

// The token alone goes to stdout, so that scripts can use `$(sandbox token create)`.
const tokenCreation: Answer<Schemas["NewControlToken"]> = {
  show: ({ token }) => [token],
  say({ id, subject, role, team, expires_at }) {
    const until = expires_at === null ? "until it is revoked" : `until ${expires_at}`;
    return `Token ${id} of ${subject}, ${role} in the team ${team}, ${until}. It is not shown again.`;
  },
};

const toTeamRow = ({ id, name, quotas }: Team) => [id, name === id ? "" : name, formatQuotas(quotas)];

export const teams: Readonly<Record<string, Answer>> = {
  "team list": { show: ({ items }: Schemas["TeamList"]) => formatColumns(items.map(toTeamRow)) },
  "team show": { show: formatTeam },
  "team quota": quota,
  "team allow": allow,
  "team members": members,
  "token create": tokenCreation,
};

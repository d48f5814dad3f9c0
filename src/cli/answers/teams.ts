// Shared sandboxes: teams with their quotas and members, tokens, and what was done with them.
import type { Schemas } from "../../client/control.ts";
import rows from "../../contract/generated/commands.json" with { type: "json" };
import type { Answer, CallInput } from "../answer.ts";
import type { Client } from "../client.ts";
import { type Call, type Option, option } from "../command.ts";
import { Misuse } from "../failure.ts";
import { columns, columnsWithin } from "../terminal/terminal.ts";

type Team = Schemas["Team"];
type Quotas = Schemas["Quotas"];

const { quotas: QUOTAS } = rows;
const ROLES = ["owner", "developer", "viewer"] as const;
const removeOption: Option = option.flag("remove", "Remove what is named instead.");
const roleOption = option.text("role", "R", "Give the member this role.", { choices: ROLES });

// English thousands, as in the sentences of the sandbox.
const spelt = (amount: number): string => amount.toLocaleString("en-US");

// In the order of the specification, which `rows` has.
function quotasText(quotas: Quotas): string {
  const limits = QUOTAS.flatMap(({ member, unit }) => {
    const most = quotas[member];
    return most === undefined ? [] : [`${spelt(most)} ${unit}`];
  });
  return limits.length === 0 ? "no limits" : limits.join(", ");
}

function usageLines({ id, name, quotas, usage, webhook_targets }: Schemas["TeamShown"]): string[] {
  const lines = QUOTAS.map(({ member, unit }) => {
    const most = quotas[member];
    return [`  ${unit}`, spelt(usage[member]), `of ${most === undefined ? "no limit" : spelt(most)}`];
  });
  const targets =
    webhook_targets.length === 0 ? "public addresses only" : `public addresses, ${webhook_targets.join(", ")}`;
  return [`Team ${id}${name === id ? "" : ` (${name})`}`, ...columns(lines), `  Webhooks reach ${targets}`];
}

const paramsOf = ({ path }: CallInput) => ({ path: { teamId: path?.teamId ?? "" } });

/** A quota that is not named stays as it is; `none` removes one. */
const quota: Answer<Team> = {
  check({ args: [id], given }) {
    if (QUOTAS.every(({ option }) => given.text(option) === undefined))
      throw new Misuse(`Name a quota to set, such as --worlds 20. See them with: sandbox team show ${id}.`);
  },
  prepare(input, { given }) {
    const none = QUOTAS.filter(({ option }) => given.text(option) === "none");
    input.body = { ...input.body, ...Object.fromEntries(none.map(({ member }) => [member, null])) };
  },
  show: ({ id, quotas }) => [`Team ${id}: ${quotasText(quotas)}.`],
};

const allow: Answer<Team> = {
  options: [removeOption],
  changes: ({ args: [team, ...targets] }) => (targets.length > 0 ? `team ${team}` : undefined),
  async prepare(input, { args: [, ...targets], given }, { ask, control }) {
    // Without an address the command only lists.
    if (targets.length === 0) return ask(control.GET("/_sandbox/teams/{teamId}", { params: paramsOf(input) }));
    if (given.flag("remove")) input.body = { remove: targets };
    return undefined;
  },
  show({ id, webhook_targets: all }, { terminal }) {
    if (all.length === 0) terminal.say(`Webhooks of the team ${id} reach public addresses only.`);
    return all;
  },
};

function mustSayWhat({ args: [teamId, subject], given }: Call): void {
  const [role, isRemoval] = [given.text("role"), given.flag("remove")];
  // A role without a person is a slip; the list would hide it.
  if (subject === undefined && (role !== undefined || isRemoval))
    throw new Misuse(
      `Say whose role it is: sandbox team members ${teamId} <subject> ${isRemoval ? "--remove" : `--role ${role}`}.`,
    );
  if (subject !== undefined && (role === undefined) !== isRemoval)
    throw new Misuse(`Give ${subject} a role with --role, or remove the member with --remove.`);
}

/** The change that is asked for comes before the list. */
async function changeMember({ args: [teamId = "", subject], given }: Call, { ask, control }: Client): Promise<void> {
  if (subject === undefined) return;
  const params = { path: { teamId, subject } };
  const role = given.text("role") as (typeof ROLES)[number] | undefined;
  if (role === undefined) await ask(control.DELETE("/_sandbox/teams/{teamId}/members/{subject}", { params }));
  else await ask(control.PUT("/_sandbox/teams/{teamId}/members/{subject}", { params, body: { role } }));
}

const members: Answer<Schemas["TeamMemberList"]> = {
  options: [roleOption, removeOption],
  check: mustSayWhat,
  changes: ({ args: [team, subject] }) => (subject === undefined ? undefined : `team ${team}`),
  prepare: (_, call, client) => changeMember(call, client),
  show: ({ items }) => columns(items.map(({ subject, role }) => [subject, role])),
};

const line = ({ id, name, quotas }: Team) => [id, name === id ? "" : name, quotasText(quotas)];

export const teams: Readonly<Record<string, Answer>> = {
  "team list": { show: ({ items }: Schemas["TeamList"]) => columns(items.map(line)) },
  "team show": { show: usageLines },
  "team quota": quota,
  "team allow": allow,
  "team members": members,
};

// The token alone goes to stdout, so that `$(sandbox token create)` is the token.
const made: Answer<Schemas["NewControlToken"]> = {
  show: ({ token }) => [token],
  say({ id, subject, role, team, expires_at }) {
    const until = expires_at === null ? "until it is revoked" : `until ${expires_at}`;
    return `Token ${id} of ${subject}, ${role} in the team ${team}, ${until}. It is not shown again.`;
  },
};

function stateOf({ revoked_at, expires_at }: Schemas["ControlToken"]): string {
  if (revoked_at !== null) return `revoked ${revoked_at}`;
  return expires_at === null ? "does not expire" : `expires ${expires_at}`;
}

function listed({ items }: Schemas["ControlTokenList"], { terminal }: Call): string[] {
  const rows = items.map((each) => [
    ...[terminal.paint("bold", each.id), each.subject, each.role, stateOf(each)],
    each.used_at === null ? "never used" : `used ${each.used_at}`,
  ]);
  return columnsWithin(rows, terminal.width);
}

function audited({ items, next }: Schemas["AuditPage"], { terminal }: Call): string[] {
  // Pages go back in time, so the next one is asked for by its end.
  if (next !== undefined)
    terminal.say(`There is more before ${items.at(-1)?.at}: --until ${items.at(-1)?.at}, or a larger --limit.`);
  const rows = items.map(({ at, status, action, subject, team, world, detail }) => [
    ...[at, terminal.paint(status >= 400 ? "red" : "green", String(status)), action],
    `${subject}${team === null ? "" : ` (${team})`}`,
    // Of the detail only the code of a refusal fits a line; --json has the rest.
    [world ?? "", typeof detail.code === "string" ? detail.code : ""].filter(Boolean).join("  "),
  ]);
  return columnsWithin(rows, terminal.width);
}

export const access: Readonly<Record<string, Answer>> = {
  "token create": made,
  "token list": { show: listed },
  audit: { show: audited },
};

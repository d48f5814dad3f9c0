// sandbox team quota, allow and members: what a team may do, and who is in it.
import type { Client } from "../client.ts";
import type { Call, Command, Option } from "../command.ts";
import { Misuse } from "../fault.ts";
import { QUOTAS, quotaOptions, quotasFrom, quotasShown } from "../quotas.ts";
import { asking, path, ROLES, serverOptions, TEAM } from "../team-asking.ts";
import { columns } from "../terminal/terminal.ts";

const removeOption: Option = { name: "remove", kind: "flag", default: false, meaning: "Remove what is named instead." };

export const changes: readonly Command[] = [
  {
    name: "quota",
    summary: "Set quotas of a team; the others stay.",
    arguments: [TEAM],
    options: [...quotaOptions, ...serverOptions],
    epilogue: "`none` takes a limit away. Only the operator sets quotas.",
    run: asking(
      async ({ args: [id], given }, { ask, control }) => {
        const params = path(id);
        if (QUOTAS.every(({ option }) => given.text(option) === undefined))
          throw new Misuse(`Name a quota to set, such as --worlds 20. See them with: sandbox team show ${id}.`);
        const { quotas } = await ask(control.GET("/_sandbox/teams/{teamId}", { params }));
        return ask(control.PUT("/_sandbox/teams/{teamId}/quotas", { params, body: quotasFrom(given, quotas) }));
      },
      ({ id, quotas }) => [`Team ${id}: ${quotasShown(quotas)}.`],
    ),
  },
  {
    name: "allow",
    summary: "Let webhooks of a team reach private addresses.",
    arguments: [TEAM, ["[target...]", "Host names, addresses or ranges; default: list them."]],
    options: [removeOption, ...serverOptions],
    epilogue: "Webhooks of a team reach public addresses only. Only the operator changes that.",
    run: asking(
      async ({ args: [id, ...targets], given }, { ask, control }) => {
        const params = path(id);
        const now = await ask(control.GET("/_sandbox/teams/{teamId}", { params }));
        if (targets.length === 0) return now;
        const kept = now.webhook_targets.filter((each) => !targets.includes(each));
        const items = given.flag("remove") ? kept : [...kept, ...targets];
        return ask(control.PUT("/_sandbox/teams/{teamId}/webhook-targets", { params, body: { items } }));
      },
      ({ id, webhook_targets: all }, { terminal }) => {
        if (all.length === 0) terminal.say(`Webhooks of the team ${id} reach public addresses only.`);
        return all;
      },
    ),
  },
  {
    name: "members",
    summary: "List the members of a team, or change one.",
    arguments: [TEAM, ["[subject]", "The member to set or remove."]],
    options: [
      {
        name: "role",
        kind: "text",
        placeholder: "R",
        default: undefined,
        choices: ROLES,
        meaning: "Give the member this role.",
      },
      removeOption,
      ...serverOptions,
    ],
    epilogue: "A token allows no more than its subject's role. Who is removed loses all tokens.",
    run: asking(changeMembers, ({ items }) => columns(items.map(({ subject, role }) => [subject, role]))),
  },
];

async function changeMembers({ args: [teamId = "", subject], given }: Call, { ask, control }: Client) {
  const role = given.text("role") as (typeof ROLES)[number] | undefined;
  const isRemoval = given.flag("remove");
  if (subject === undefined && (role !== undefined || isRemoval))
    throw new Misuse(
      `Say whose role it is: sandbox team members ${teamId} <subject> ${isRemoval ? "--remove" : `--role ${role}`}.`,
    );
  if (subject !== undefined && (role === undefined) !== isRemoval)
    throw new Misuse(`Give ${subject} a role with --role, or remove the member with --remove.`);
  if (subject !== undefined) {
    const params = { path: { teamId, subject } };
    if (role === undefined) await ask(control.DELETE("/_sandbox/teams/{teamId}/members/{subject}", { params }));
    else await ask(control.PUT("/_sandbox/teams/{teamId}/members/{subject}", { params, body: { role } }));
  }
  return ask(control.GET("/_sandbox/teams/{teamId}/members", { params: path(teamId) }));
}

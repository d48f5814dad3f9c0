// sandbox token and sandbox audit: who may use a shared sandbox, and what they did.
import type { Schemas } from "../../client/control.ts";
import { optional } from "../../platform/optional.ts";
import type { Call, Group, Option } from "../command.ts";
import { entryOf } from "../control-command.ts";
import { Misuse } from "../fault.ts";
import { ROLES, serverOf, serverOptions, teamNamed } from "../team-asking.ts";
import { columns } from "../terminal/terminal.ts";

const textOption = (name: string, placeholder: string, meaning: string, more: Partial<Option> = {}): Option => ({
  ...{ name, kind: "text", placeholder, default: undefined, meaning },
  ...more,
});
const teamOption = textOption("team", "id", "The team; default: your own.");

export const token: Group = {
  name: "token",
  summary: "Create, list and revoke tokens of a shared sandbox.",
  usual: "list",
  members: [
    {
      name: "create",
      summary: "Make a token, and show it this once.",
      options: [
        teamOption,
        textOption("role", "R", "What it allows.", { choices: ROLES, default: "developer" }),
        textOption("subject", "name", "Who holds it, such as anna or ci; default: you."),
        textOption("expires", "duration", "How long it is good for, such as P90D; default: until it is revoked."),
        ...serverOptions,
      ],
      epilogue: "viewer reads; developer acts in the team's worlds; owner manages members and tokens too.",
      run: create,
    },
    { name: "list", summary: "The tokens of a team.", options: [teamOption, ...serverOptions], run: list },
    {
      name: "revoke",
      summary: "Make a token worthless.",
      arguments: [["<id>", "Its id, as the list shows it."]],
      options: [teamOption, ...serverOptions],
      run: revoke,
    },
  ],
};

async function teamOf(call: Call): Promise<string> {
  return teamNamed(call.given.text("team"), serverOf(call), "--team <id>");
}

async function create(call: Call): Promise<undefined> {
  const { given, terminal } = call;
  const { ask, control } = serverOf(call);
  const body = {
    role: given.text("role") as (typeof ROLES)[number],
    ...optional({ subject: given.text("subject"), expires: given.text("expires") }),
  };
  const params = { path: { teamId: await teamOf(call) } };
  const made = await ask(control.POST("/_sandbox/teams/{teamId}/tokens", { params, body }));
  if (given.flag("json")) return void terminal.json(made);
  terminal.print(made.token);
  const until = made.expires_at === null ? "until it is revoked" : `until ${made.expires_at}`;
  terminal.say(
    `Token ${made.id} of ${made.subject}, ${made.role} in the team ${made.team}, ${until}. It is not shown again.`,
  );
}

function stateOf({ revoked_at, expires_at }: Schemas["ControlToken"]): string {
  if (revoked_at !== null) return `revoked ${revoked_at}`;
  return expires_at === null ? "does not expire" : `expires ${expires_at}`;
}

async function list(call: Call): Promise<undefined> {
  const { given, terminal } = call;
  const { ask, control } = serverOf(call);
  const teamId = await teamOf(call);
  const { items } = await ask(control.GET("/_sandbox/teams/{teamId}/tokens", { params: { path: { teamId } } }));
  if (given.flag("json")) return void terminal.json({ items });
  const rows = items.map((each) => [
    ...[terminal.paint("bold", each.id), each.subject, each.role, stateOf(each)],
    each.used_at === null ? "never used" : `used ${each.used_at}`,
  ]);
  for (const line of columns(rows)) terminal.print(line);
  if (items.length === 0) terminal.say(`The team ${teamId} has no token yet. Make one with \`sandbox token create\`.`);
}

async function revoke(call: Call): Promise<undefined> {
  const [id = ""] = call.args;
  if (/^sbx_/.test(id)) throw new Misuse("That is the token itself. Name its id, as `sandbox token list` shows it.");
  const { ask, control } = serverOf(call);
  const params = { path: { teamId: await teamOf(call), tokenId: id } };
  await ask(control.DELETE("/_sandbox/teams/{teamId}/tokens/{tokenId}", { params }));
  if (call.given.flag("json")) call.terminal.json({ id, revoked: true });
  else call.terminal.print(`Revoked the token ${id}.`);
}

export const audit = entryOf("audit", { audit: { show: audited } });

function audited({ items, next }: Schemas["AuditPage"], { terminal }: Call): string[] {
  if (next !== undefined)
    terminal.say(`There is more before ${items.at(-1)?.at}: --until ${items.at(-1)?.at}, or a larger --limit.`);
  const rows = items.map(({ at, status, action, subject, team, world, detail }) => [
    ...[at, terminal.paint(status >= 400 ? "red" : "green", String(status)), action],
    `${subject}${team === null ? "" : ` (${team})`}`,
    [world ?? "", typeof detail.code === "string" ? detail.code : ""].filter(Boolean).join("  "),
  ]);
  return columns(rows);
}

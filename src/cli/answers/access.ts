// The tokens of a shared sandbox, and what was done with them.
import type { Schemas } from "../../client/control.ts";
import type { Answer } from "../answer.ts";
import type { Call } from "../command.ts";
import { columnsWithin } from "../terminal/terminal.ts";

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

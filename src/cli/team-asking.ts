// What the commands about teams share: whom they ask, about which team, and how they show what came of it.
import { type Client, clientOf } from "./client.ts";
import { type Call, type Command, clientOptions } from "./command.ts";
import { Misuse } from "./fault.ts";

export const serverOptions = clientOptions.filter(({ name }) => name !== "world");
export const ROLES = ["owner", "developer", "viewer"] as const;

export const TEAM: readonly [string, string] = ["<team>", "The id of the team."];

/** None of these is about a world. */
export const serverOf = ({ given }: Pick<Call, "given">): Client =>
  clientOf({ ...given, text: (name) => (name === "world" ? "default" : given.text(name)) });

/** Asks, and shows what came of it. */
export function asking<T>(
  ask: (call: Call, client: Client) => Promise<T>,
  show: (answer: T, call: Call) => readonly string[],
): Command["run"] {
  return async (call) => {
    const answer = await ask(call, serverOf(call));
    if (call.given.flag("json")) call.terminal.json(answer);
    else for (const line of show(answer, call)) call.terminal.print(line);
    return 0;
  };
}

export const path = (teamId = "") => ({ path: { teamId } });

/** The team that is named, or the caller's own. */
export async function teamNamed(named: string | undefined, { ask, control }: Client, how: string): Promise<string> {
  if (named !== undefined) return named;
  const { team } = await ask(control.GET("/_sandbox/me"));
  if (team !== null) return team;
  throw new Misuse(`The operator is in no team. Name one: ${how}.`);
}

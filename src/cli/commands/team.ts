// sandbox team: the teams of a shared sandbox, their members, quotas and webhook targets.
import type { Schemas } from "../../client/control.ts";
import { entryOf } from "../control-command.ts";
import { quotaOptions, quotasFrom, quotasShown, usageShown } from "../quotas.ts";
import { asking, path, serverOptions, teamNamed } from "../team-asking.ts";
import { columns } from "../terminal/terminal.ts";
import { changes } from "./team-changes.ts";

const line = ({ id, name, quotas }: Schemas["Team"]) => [id, name === id ? "" : name, quotasShown(quotas)];

const listed = ({ items }: Schemas["TeamList"]): string[] => columns(items.map(line));

export const team = entryOf("team", { list: { show: listed } }, [
  {
    name: "create",
    summary: "Make a team with a default world of the same id.",
    arguments: [["<team>", "Its id: small letters, digits, dashes."]],
    options: [
      { name: "name", kind: "text", placeholder: "text", default: undefined, meaning: "Its name for people." },
      ...quotaOptions,
      ...serverOptions,
    ],
    run: asking(
      ({ args: [id = ""], given }, { ask, control }) => {
        const name = given.text("name");
        const body = { id, quotas: quotasFrom(given, {}), ...(name === undefined ? {} : { name }) };
        return ask(control.POST("/_sandbox/teams", { body }));
      },
      ({ id }) => [
        `Made the team ${id}, with the default world ${id}.`,
        `Give it a token: sandbox token create --team ${id} --role owner --subject <name>`,
      ],
    ),
  },
  {
    name: "show",
    summary: "The quotas of a team, and what it uses of them.",
    arguments: [["[team]", "The id of the team; default: your own."]],
    options: serverOptions,
    run: asking(
      async ({ args: [id] }, client) => {
        const teamId = await teamNamed(id, client, "sandbox team show <team>");
        return client.ask(client.control.GET("/_sandbox/teams/{teamId}", { params: path(teamId) }));
      },
      (shown) => usageShown(shown),
    ),
  },
  ...changes,
]);

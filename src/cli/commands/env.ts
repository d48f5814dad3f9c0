// sandbox env: the environment of a client of a running sandbox, as lines for a shell: eval "$(sandbox env)".
import { clientOf, credentialsOf } from "../client.ts";
import { type Call, type Command, clientOptions } from "../command.ts";
import { Failure } from "../fault.ts";
import { environmentFor, quoted } from "../terminal/connection-info.ts";

export const env: Command = {
  name: "env",
  summary: "Print the environment for a client as export lines.",
  options: clientOptions,
  epilogue:
    'Take it over with: eval "$(sandbox env)"\nSANDBOX_CONTROL_TOKEN is filled in where --control-token gives it.',
  run: printEnvironment,
};

async function printEnvironment({ given, terminal }: Call): Promise<undefined> {
  const client = clientOf(given);
  const [description, credentials] = await Promise.all([
    client.ask(client.control.GET("/_sandbox")),
    credentialsOf(client),
  ]);
  const [key] = credentials.items;
  if (!key) throw new Failure(`World ${client.world} has no key. Make one with \`sandbox act createKey\`.`);
  const { client_id, client_secret } = key;
  const { webhook_secret = null } = credentials;
  const all = environmentFor({
    ...description,
    client_id,
    client_secret,
    webhook_secret,
    control_token: client.controlToken,
  });
  if (given.flag("json")) terminal.json(all);
  else for (const [name, value] of Object.entries(all)) terminal.print(`export ${name}=${quoted(value)}`);
}

// sandbox env: prints the environment variables for a client of a running sandbox, as lines for a shell or a file.
import { createClient, fetchCredentials } from "../client.ts";
import { type Call, type Command, clientOptions, option } from "../command.ts";
import { Failure } from "../failure.ts";
import { detectShell, formatVariables, SHELLS, type Shell } from "../shells.ts";
import { toEnvironment } from "../terminal/connection-info.ts";

export const env: Command = {
  name: "env",
  summary: "Print environment variables for a client, as shell commands.",
  options: [
    option.text("shell", "name", `${SHELLS.join(", ")}; default: your login shell.`, { choices: SHELLS }),
    ...clientOptions,
  ],
  epilogue: [
    "Set the variables with",
    '  bash, zsh   eval "$(sandbox env)"',
    "  fish        sandbox env | source",
    "  PowerShell  sandbox env --shell powershell | Out-String | Invoke-Expression",
    `  cmd         for /f "delims=" %i in ('sandbox env --shell cmd') do @%i`,
    "SANDBOX_CONTROL_TOKEN is only set if --control-token is given.",
  ].join("\n"),
  run: printEnvironment,
};

async function printEnvironment({ given, terminal, environment }: Call): Promise<undefined> {
  const client = createClient(given);
  const [description, credentials] = await Promise.all([
    client.ask(client.control.GET("/_sandbox")),
    fetchCredentials(client),
  ]);
  // The first key is the one that the world was created with; others are created to test scopes.
  const [key] = credentials.items;
  if (!key) throw new Failure(`World ${client.world} has no key. Create one with \`sandbox act createKey\`.`);
  const { client_id, client_secret } = key;
  const { webhook_secret = null } = credentials;
  const all = toEnvironment({
    ...description,
    client_id,
    client_secret,
    webhook_secret,
    control_token: client.controlToken,
  });
  const named = given.flag("json") ? "json" : (given.text("shell") as Shell | undefined);
  for (const line of formatVariables(named ?? detectShell(environment, process.platform), all)) terminal.print(line);
}

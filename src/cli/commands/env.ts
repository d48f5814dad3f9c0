// sandbox env: the environment of a client of a running sandbox, as lines for a shell or a file: eval "$(sandbox env)".
import { createClient, fetchCredentials } from "../client.ts";
import { type Call, type Command, clientOptions, option } from "../command.ts";
import { Failure } from "../failure.ts";
import { detectShell, formatVariables, listAncestors, SHELLS, type Shell } from "../shells.ts";
import { environmentFor } from "../terminal/connection-info.ts";

export const env: Command = {
  name: "env",
  summary: "Print the environment for a client, as lines for a shell.",
  options: [
    option.text(
      "shell",
      "name",
      `For ${SHELLS.join(", ")}; default: the shell that it is typed in where that is known, otherwise bash.`,
      { choices: SHELLS },
    ),
    ...clientOptions,
  ],
  epilogue: [
    "Take it over with",
    '  bash, zsh   eval "$(sandbox env)"',
    "  fish        sandbox env | source",
    "  PowerShell  sandbox env --shell powershell | Out-String | Invoke-Expression",
    `  cmd         for /f "delims=" %i in ('sandbox env --shell cmd') do @%i`,
    "SANDBOX_CONTROL_TOKEN is filled in where --control-token gives it.",
  ].join("\n"),
  run: printEnvironment,
};

async function printEnvironment({ given, terminal, environment }: Call): Promise<undefined> {
  const client = createClient(given);
  const [description, credentials] = await Promise.all([
    client.ask(client.control.GET("/_sandbox")),
    fetchCredentials(client),
  ]);
  // The first key of the world; others are made for tests of scopes.
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
  const named = given.flag("json") ? "json" : (given.text("shell") as Shell | undefined);
  // Only guessed where nobody said: reading /proc costs little, and a wrong guess prints lines that do not work.
  const shell = named ?? detectShell(environment, process.platform, listAncestors(process.ppid));
  for (const line of formatVariables(shell, all)) terminal.print(line);
}

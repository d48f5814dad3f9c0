// sandbox env: prints the environment variables for a client of a running sandbox, as lines for a shell or a file.

import { quote } from "../../platform/shell-quoted.ts";
import { createClient, fetchCredentials } from "../client.ts";
import { type Call, type Command, clientOptions, option } from "../command.ts";
import { Failure } from "../failure.ts";
import type { Environment } from "../options.ts";
import { toEnvironment } from "../terminal/connection-info.ts";

/** The supported formats. `dotenv` and `json` are for programs. */
const SHELLS = ["bash", "fish", "powershell", "cmd", "dotenv", "json"] as const;
type Shell = (typeof SHELLS)[number];

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
  const { items, webhook_secret } = credentials;
  // The first key is the one that the world was created with; others are created to test scopes.
  const [key] = items;
  if (!key) throw new Failure(`World ${client.world} has no key. Create one with \`sandbox act createKey\`.`);
  const all = toEnvironment({ ...description, ...key, webhook_secret, control_token: client.controlToken });
  const named = given.flag("json") ? "json" : (given.text("shell") as Shell | undefined);
  const lines = formatVariables(named ?? detectShell(environment, process.platform), all);
  // The lines are not wrapped, because they are copied to a shell or a file.
  terminal.write(`${lines.join("\n")}\n`);
}

const LINES: Record<Exclude<Shell, "json">, (name: string, value: string) => string> = {
  bash: (name, value) => `export ${name}=${quote(value)}`,
  fish: (name, value) => `set -gx ${name} '${value.replace(/[\\']/g, "\\$&")}'`,
  // PowerShell treats typographic quotes like the plain one.
  powershell: (name, value) => `$env:${name} = '${value.replace(/['‘’‚‛]/g, "$&$&")}'`,
  cmd: (name, value) => `set "${name}=${value}"`,
  dotenv: (name, value) => `${name}=${quoteForDotenv(value)}`,
};

/** Values that a format can't express. */
const INEXPRESSIBLE: Partial<Record<Shell, (value: string) => boolean>> = {
  cmd: (value) => /["\r\n]/.test(value),
  dotenv: (value) => /\r/.test(value) || [/'/, /["\\$\n]/, /`/].every((quote) => quote.test(value)),
};

/** Returns one line per variable. Throws a Failure for a value that the format can't express. */
export function formatVariables(shell: Shell, variables: Readonly<Record<string, string>>): string[] {
  if (shell === "json") return [JSON.stringify(variables)];
  return Object.entries(variables).map(([name, value]) => {
    if (INEXPRESSIBLE[shell]?.(value))
      throw new Failure(`${name} contains a character that can't be written for ${shell}. Choose another --shell.`);
    return LINES[shell](name, value);
  });
}

/** Quotes only if necessary, because Docker's env files have no quotes. Chooses quotes that need no escapes. */
function quoteForDotenv(value: string): string {
  if (/^[\w.:/~+=@%-]*$/.test(value)) return value;
  if (!value.includes("'")) return `'${value}'`;
  return /["\\$\n]/.test(value) ? `\`${value}\`` : `"${value}"`;
}

/** Guesses the shell of the user. Most unknown shells accept the syntax of bash. */
export function detectShell({ SHELL = "", MSYSTEM, PSModulePath = "" }: Environment, platform: NodeJS.Platform): Shell {
  // Git Bash sets MSYSTEM. PowerShell adds the folder of the user's modules to PSModulePath.
  if (platform === "win32" && !MSYSTEM) return /\\Documents\\/i.test(PSModulePath) ? "powershell" : "cmd";
  return SHELL.endsWith("/fish") ? "fish" : "bash";
}

// Formats environment variables for a shell or a program, quoted so that nothing in a value is interpreted, and guesses the shell of the
// user.
import { quote } from "../platform/shell-quoted.ts";
import { Failure } from "./failure.ts";
import type { Environment } from "./options.ts";

/** The supported formats. `dotenv` and `json` are for programs. */
export const SHELLS = ["bash", "fish", "powershell", "cmd", "dotenv", "json"] as const;
export type Shell = (typeof SHELLS)[number];

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

// Formats environment variables for a shell or a program, quoted so that nothing in a value is interpreted, and detects the shell of the
// user.
import { readFileSync } from "node:fs";
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

const SHELLS_BY_NAME: Record<string, Shell> = {
  bash: "bash",
  zsh: "bash",
  sh: "bash",
  dash: "bash",
  ksh: "bash",
  fish: "fish",
  pwsh: "powershell",
};

/** Detects the shell. `ancestors` are the names of the parent processes, nearest first. */
export function detectShell(environment: Environment, platform: NodeJS.Platform, ancestors: readonly string[]): Shell {
  if (platform === "win32") return detectWindowsShell(environment);
  // npx starts a command through Node and a shell of its own.
  const isNpx = environment.npm_command === "exec";
  // The shell that npx starts between the user's shell and this process is skipped.
  const above = ancestors.filter((name, at) => !(isNpx && /^(sh|dash)$/.test(name) && isNode(ancestors[at + 1])));
  const name = above.find((each) => !isNode(each)) ?? "";
  // Most unknown shells accept the syntax of bash.
  return SHELLS_BY_NAME[name] ?? "bash";
}

const isNode = (name = ""): boolean => /^(node|npm|npx|pnpm|yarn)/.test(name);

/** PowerShell adds the folder of the user's modules to PSModulePath. Git Bash sets MSYSTEM. */
function detectWindowsShell({ MSYSTEM, PSModulePath = "" }: Environment): Shell {
  if (MSYSTEM) return "bash";
  return /\\Documents\\/i.test(PSModulePath) ? "powershell" : "cmd";
}

const MAX_ANCESTORS = 8;

/** Returns the names of the parent processes. Without /proc, there are none. */
export function listAncestors(pid: number, most = MAX_ANCESTORS): string[] {
  if (most === 0 || pid <= 1) return [];
  try {
    const [, name = "", parent = "0"] = /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return [name, ...listAncestors(Number(parent), most - 1)];
  } catch {
    return [];
  }
}

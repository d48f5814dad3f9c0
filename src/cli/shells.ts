// How variables of the environment are written for a shell or a program, each value so that nothing in it is interpreted; and which
// shell it is that a command was typed in, where that is cheap to know.
import { readFileSync } from "node:fs";
import { quote } from "../platform/shell-quoted.ts";
import { Failure } from "./failure.ts";
import type { Environment } from "./options.ts";

/** `dotenv` and `json` are for programs. */
export const SHELLS = ["bash", "fish", "powershell", "cmd", "dotenv", "json"] as const;
export type Shell = (typeof SHELLS)[number];

const LINES: Record<Exclude<Shell, "json">, (name: string, value: string) => string> = {
  bash: (name, value) => `export ${name}=${quote(value)}`,
  fish: (name, value) => `set -gx ${name} '${value.replace(/[\\']/g, "\\$&")}'`,
  // PowerShell takes typographic quotes for the plain one.
  powershell: (name, value) => `$env:${name} = '${value.replace(/['‘’‚‛]/g, "$&$&")}'`,
  cmd: (name, value) => `set "${name}=${value}"`,
  dotenv: (name, value) => `${name}=${quoteForDotenv(value)}`,
};

/** What a value can't hold, because the format has no way to write it. */
const IMPOSSIBLE: Partial<Record<Shell, (value: string) => boolean>> = {
  cmd: (value) => /["\r\n]/.test(value),
  dotenv: (value) => /\r/.test(value) || [/'/, /["\\$\n]/, /`/].every((quote) => quote.test(value)),
};

/** One line for each variable. Throws a Failure for a value that the shell has no way to write. */
export function formatVariables(shell: Shell, variables: Readonly<Record<string, string>>): string[] {
  if (shell === "json") return [JSON.stringify(variables)];
  return Object.entries(variables).map(([name, value]) => {
    if (IMPOSSIBLE[shell]?.(value))
      throw new Failure(`${name} holds a character that can't be written for ${shell}. Take another --shell.`);
    return LINES[shell](name, value);
  });
}

/** Plain where it can be, since Docker's env files know no quotes; otherwise in the first kind of quotes that takes the value as it is. */
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

/** `ancestors`: the names of the processes above this one, the nearest first. */
export function detectShell(environment: Environment, platform: NodeJS.Platform, ancestors: readonly string[]): Shell {
  if (platform === "win32") return detectWindowsShell(environment);
  // npx starts a command through Node and a shell of its own.
  const isNpx = environment.npm_command === "exec";
  // What npx puts between the person's shell and this process is skipped.
  const above = ancestors.filter((name, at) => !(isNpx && /^(sh|dash)$/.test(name) && isNode(ancestors[at + 1])));
  const name = above.find((each) => !isNode(each)) ?? "";
  // Nearly every unknown shell reads what bash reads.
  return SHELLS_BY_NAME[name] ?? "bash";
}

const isNode = (name = ""): boolean => /^(node|npm|npx|pnpm|yarn)/.test(name);

/** PowerShell adds the modules of the person to the path of modules that every program has there; Git Bash sets MSYSTEM. */
function detectWindowsShell({ MSYSTEM, PSModulePath = "" }: Environment): Shell {
  if (MSYSTEM) return "bash";
  return /\\Documents\\/i.test(PSModulePath) ? "powershell" : "cmd";
}

const MAX_ANCESTORS = 8;

/** Where there is /proc; elsewhere none. */
export function listAncestors(pid: number, most = MAX_ANCESTORS): string[] {
  if (most === 0 || pid <= 1) return [];
  try {
    const [, name = "", parent = "0"] = /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return [name, ...listAncestors(Number(parent), most - 1)];
  } catch {
    return [];
  }
}

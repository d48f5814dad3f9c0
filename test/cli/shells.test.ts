// The output of `env` is read by the shells and programs that are installed, and otherwise by a parser with their rules.
import { spawnSync } from "node:child_process";
import { parseEnv } from "node:util";
import { describe, expect, it } from "vitest";
import { detectShell, formatVariables } from "../../src/cli/commands/env.ts";

const NASTY = [
  "",
  "plain",
  "two words",
  " blanks around ",
  "it's",
  'say "so"',
  "%PATH% 100%",
  "$HOME `id` $(id)",
  "back\\slash\\",
  "\\'",
  "a;b&c|d<e>f^g!h#i*?",
  "two\nlines",
  "'’‘‚‛",
  "æøå 🚢",
  "~/x{a,b}",
];

const variables = Object.fromEntries(NASTY.map((value, at) => [`V_${at}`, value]));
const withoutImpossible = (impossible: RegExp) =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => !impossible.test(value)));

const isHere = (program: string) => spawnSync(program, ["-c", "true"]).status === 0;
const PRINT = `node -e 'process.stdout.write(JSON.stringify(Object.fromEntries(Object.entries(process.env).filter(([n])=>/^V_/.test(n)))))'`;

describe("Special characters are preserved", () => {
  it.each(["sh", "bash", "zsh", "dash", "fish"].filter(isHere))("%s", (program) => {
    const shell = program === "fish" ? "fish" : "bash";
    const { stdout, stderr } = spawnSync(program, ["-c", `${formatVariables(shell, variables).join("\n")}\n${PRINT}`]);
    expect(stderr.toString()).toBe("");
    expect(JSON.parse(stdout.toString())).toEqual(variables);
  });

  it("fish: only \\' and \\\\ are special in single quotes", () => {
    for (const line of formatVariables("fish", variables)) {
      const [, name = "", inside = ""] = /^set -gx (V_\d+) '((?:[^\\']|\\[\\'])*)'$/s.exec(line) ?? [];
      expect(inside.replace(/\\([\\'])/g, "$1")).toBe(variables[name]);
    }
  });

  it("PowerShell: only a doubled quote of any kind is special in single quotes", () => {
    for (const line of formatVariables("powershell", variables)) {
      const [, name = "", inside = ""] = /^\$env:(V_\d+) = '((?:[^'‘’‚‛]|(['‘’‚‛])\3)*)'$/su.exec(line) ?? [];
      expect(inside.replace(/(['‘’‚‛])\1/g, "$1")).toBe(variables[name]);
    }
  });

  it("cmd: set takes everything up to the last quote", () => {
    for (const line of formatVariables("cmd", withoutImpossible(/["\n]/))) {
      const [, name = "", value = ""] = /^set "(V_\d+)=([^"\n]*)"$/.exec(line) ?? [];
      expect(value).toBe(variables[name]);
    }
    for (const value of ['say "so"', "two\nlines"])
      expect(() => formatVariables("cmd", { V: value })).toThrow(
        "V contains a character that can't be written for cmd.",
      );
  });

  it("dotenv, as Node reads it", () => {
    expect(parseEnv(formatVariables("dotenv", variables).join("\n"))).toEqual(variables);
    expect(formatVariables("dotenv", { URL: "http://127.0.0.1:4010", SECRET: "whsec_a+/b=" })).toEqual([
      "URL=http://127.0.0.1:4010",
      "SECRET=whsec_a+/b=",
    ]);
    expect(() => formatVariables("dotenv", { V: "'\"`" })).toThrow("can't be written for dotenv");
  });

  it("JSON", () => {
    expect(JSON.parse(formatVariables("json", variables).join(""))).toEqual(variables);
  });
});

describe("The shell of the user", () => {
  it.each([
    [{ SHELL: "/bin/zsh" }, "linux", "bash"],
    [{ SHELL: "/usr/bin/fish" }, "linux", "fish"],
    [{}, "darwin", "bash"],
    [{ PSModulePath: "C:\\Users\\a\\Documents\\PowerShell\\Modules;C:\\Program Files" }, "win32", "powershell"],
    [{ PSModulePath: "C:\\Program Files\\WindowsPowerShell\\Modules" }, "win32", "cmd"],
    [{ MSYSTEM: "MINGW64", PSModulePath: "C:\\Users\\a\\Documents\\PowerShell\\Modules" }, "win32", "bash"],
  ] as const)("%j on %s: %s", (environment, platform, shell) => {
    expect(detectShell(environment, platform)).toBe(shell);
  });
});

// How `exec` starts a command on Windows: which file it finds, and what cmd.exe receives. cross-spawn chooses the platform when it is loaded,
// so this test loads it again as on Windows.
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTempFolder } from "../temp-folder.ts";

interface Parsed {
  command: string;
  args: string[];
  file?: string;
  options: { windowsVerbatimArguments?: boolean };
}
type Parse = (command: string, args: string[], options: object) => Parsed;

const folder = makeTempFolder();
const programs = join(folder, "Program Files", "nodejs");
const env = { Path: programs, PATHEXT: ".com;.exe;.bat;.cmd" };
const platform = Object.getOwnPropertyDescriptor(process, "platform") as PropertyDescriptor;
let parse: Parse;

function asOnWindows<T>(work: () => T): T {
  Object.defineProperty(process, "platform", { ...platform, value: "win32" });
  try {
    return work();
  } finally {
    Object.defineProperty(process, "platform", platform);
  }
}

beforeAll(() => {
  mkdirSync(programs, { recursive: true });
  for (const file of ["node.exe", "npm.cmd", "npm"]) writeFileSync(join(programs, file), "");
  Object.assign(process.env, { comspec: "cmd.exe", PATHEXT: env.PATHEXT });
  const load = createRequire(import.meta.url);
  for (const path of Object.keys(load.cache))
    if (/node_modules.(cross-spawn|which|isexe|path-key)/.test(path)) delete load.cache[path];
  parse = asOnWindows(() => (load("cross-spawn") as { _parse: Parse })._parse);
});

afterAll(() => {
  delete process.env.comspec;
  delete process.env.PATHEXT;
});

const view = (command: string, ...args: string[]) => {
  const parsed = asOnWindows(() => parse(command, args, { env }));
  return { ...parsed, line: parsed.args.at(-1) ?? "" };
};

describe("On Windows exec", () => {
  it("runs npm and similar commands through cmd.exe, from a folder with a space in its name", () => {
    const { command, args, options, line } = view("npm", "run", "test:contract");
    expect([command, ...args.slice(0, 3)]).toEqual(["cmd.exe", "/d", "/s", "/c"]);
    expect(options.windowsVerbatimArguments).toBe(true);
    expect(line.replaceAll("^", "")).toBe('"npm "run" "test:contract""');
  });

  it("runs a program directly, with unchanged arguments", () => {
    const { command, args } = view("node", "-e", "console.log('a b', \"c\")", "%PATH%", "");
    expect([command, ...args]).toEqual(["node", "-e", "console.log('a b', \"c\")", "%PATH%", ""]);
  });
});

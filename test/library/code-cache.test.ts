// The library begins with the code that V8 kept of an earlier process, written when that ends; it is one library however it is
// imported, and in the realm of a runner it is loaded by that runner's own require.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bin } from "../cli/run-sandbox.ts";

/** A copy of the package, whose compiled code nobody else writes. */
const home = mkdtempSync(join(tmpdir(), "code-cache-"));
const dist = join(home, "dist");
const retained = () => readdirSync(dist).filter((name) => /^\.library-.*\.cache$/.test(name));

const run = (program: string) =>
  execFileSync(process.execPath, ["-e", program], {
    cwd: home,
    encoding: "utf8",
    env: { PATH: process.env.PATH ?? "" },
  });

const START = `const library = require("./dist/index.cjs");
library.startSandbox().then(async (sandbox) => {
  console.log(sandbox.url.slice(0, 17));
  await sandbox.close();
});`;

beforeAll(() => {
  for (const name of ["bin", "dist", "fixtures", "package.json"])
    cpSync(join(dirname(bin), "..", name), join(home, name), { recursive: true });
  for (const name of retained()) rmSync(join(dist, name));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

it("what only imports it writes nothing; the first that starts a sandbox does, and the next ones leave it", () => {
  run(`require("./dist/index.cjs")`);
  expect(retained()).toEqual([]);
  expect(run(START)).toBe("http://127.0.0.1:\n");
  expect(retained()).toHaveLength(1);
  const { mtimeMs } = statSync(join(dist, retained()[0] as string));
  expect(run(START)).toBe("http://127.0.0.1:\n");
  expect(statSync(join(dist, retained()[0] as string)).mtimeMs).toBe(mtimeMs);
});

it("a copy that is damaged is written anew", () => {
  const file = join(dist, retained()[0] as string);
  const whole = readFileSync(file);
  writeFileSync(file, whole.subarray(0, whole.length / 2));
  expect(run(START)).toBe("http://127.0.0.1:\n");
  expect(statSync(file).size).toBeGreaterThan(whole.length / 2);
});

it("import and require give the same functions and classes", () => {
  const program = `const library = require("./dist/index.cjs");
    import("./dist/index.mjs").then((all) => console.log(Object.keys(all).filter((name) => all[name] !== library[name])))`;
  expect(run(program)).toBe("[]\n");
});

it("a runner's own realm loads it by the require of that runner, so that its errors are errors there", () => {
  const program = `const { readFileSync } = require("node:fs");
    const { createContext, runInContext } = require("node:vm");
    const realm = createContext({ console });
    const asked = [];
    const wrapped = runInContext("(function (require, module, __dirname) {" + readFileSync("dist/index.cjs", "utf8") + "})", realm);
    wrapped((name) => (asked.push(name), require(name.replace("./", "./dist/"))), { exports: {} }, "dist");
    console.log(asked.filter((name) => !name.startsWith("node:")));`;
  expect(run(program)).toBe("[ './library.cjs' ]\n");
});

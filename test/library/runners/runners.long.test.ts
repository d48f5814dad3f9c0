// The subpaths for test runners, by running the sample projects of test/examples with what is built in "dist/". jest is not installed
// here: `npm run test:examples` runs its project.
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileFunction, createContext, runInContext } from "node:vm";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { makeTempFolder } from "../../temp-folder.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const RUNNERS: [name: string, command: string[]][] = [
  ["vitest", [vitest, "run"]],
  ["node-test", ["--test"]],
];

let folder: string;

beforeAll(() => {
  folder = makeTempFolder();
  for (const [name] of RUNNERS) {
    cpSync(join(root, "test/examples", name), join(folder, name), { recursive: true });
    cpSync(join(root, "test/examples/shop.cjs"), join(folder, name, "shop.cjs"));
    const modules = join(folder, name, "node_modules");
    mkdirSync(modules);
    symlinkSync(root, join(modules, "experience-sandbox"), "junction");
    symlinkSync(join(root, "node_modules/vitest"), join(modules, "vitest"), "junction");
  }
});

/** The variables of this runner must not reach the one that is tested. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(SANDBOX_|VITEST|NODE_TEST_CONTEXT|NODE_OPTIONS)/.test(name)),
);

function run(name: string, args: readonly string[]): Promise<{ failed: boolean; said: string }> {
  return new Promise((resolve) => {
    const options = { cwd: join(folder, name), env: { ...env, NO_COLOR: "1" }, timeout: 200_000 };
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      resolve({ failed: error !== null, said: stdout + stderr }),
    );
  });
}

describe("A test runner's subpath", () => {
  it.each(RUNNERS)("gives each test of %s a world, and reports only that of a failed one", async (name, command) => {
    const { failed, said } = await run(name, [...command, "shop.test.js", "failing.test.js"]);
    expect([failed, said]).toEqual([true, expect.stringMatching(/pass 6|6 passed/)]);
    expect(said).toMatch(/fail 1|1 failed/);
    expect(said).toContain("What happened in the world of “does not know why it fails”:");
    expect(said).toContain("POST /v1/bookings → 400 EVENT_NOT_FOUND: body.event_id: there is no event evt-nowhere.");
    expect(said).toContain("EVENT_NOT_FOUND looked at: no event has the id evt-nowhere");
    expect(said).toMatch(/v1\.booking\.cancelled to http:\/\/127\.0\.0\.1:9\/hook → PENDING, \d attempts?/);
    expect(said.match(/What happened in the world/g)).toHaveLength(1);
  });

  it.each(RUNNERS)("of %s gives tests worlds that a verdict sees", async (name, command) => {
    const lines = [
      `import { sandboxTest } from "experience-sandbox/${name}";`,
      'sandboxTest()("reads", async ({ world }) => {',
      "  const headers = { authorization: 'Bearer ' + (await world.token()) };",
      "  await fetch(world.url + '/v1/me', { headers });",
      "});",
    ];
    writeFileSync(join(folder, name, "reads.test.mjs"), lines.join("\n"));
    const program = [process.execPath, ...command, "reads.test.mjs"];
    const words = ["check", "--only", "AUTH-04", "--report", "json", "--", ...program];
    const { failed, said } = await run(name, [join(root, "bin/sandbox.js"), ...words]);
    expect([failed, said]).toEqual([false, expect.stringContaining('"no_verdict": null')]);
    expect(said).toMatch(/"id": "AUTH-04",[^}]*"outcome": "pass"/);
  });

  it("of node:test reports a test that times out, and one with a nested test that fails", async () => {
    const lines = [
      'import { sandboxTest } from "experience-sandbox/node-test";',
      "const test = sandboxTest();",
      'test("is late", { timeout: 4000 }, () => new Promise((resolve) => setTimeout(resolve, 8000)));',
      'test("has another", async (_, t) => { await t.test("inner", () => { throw new Error("no"); }); });',
      'test("is good", async (_, t) => { await t.test("inner", () => undefined); });',
    ];
    writeFileSync(join(folder, "node-test", "late.test.mjs"), lines.join("\n"));
    const { said } = await run("node-test", ["--test", "late.test.mjs"]);
    expect(said.match(/What happened in the world of “.*?”/g)).toEqual([
      "What happened in the world of “is late”",
      "What happened in the world of “has another”",
    ]);
  });

  it("of vitest has a sandbox for each set of options, and one for all files of a worker with the same options", async () => {
    const named = (name: string, options: string) =>
      `sandboxTest(${options})("${name}", ({ sandbox }) => console.log("${name} at " + sandbox.url));`;
    const imports = 'import { sandboxTest } from "experience-sandbox/vitest";';
    const files = [
      [imports, named("harbour", ""), named("empty", '{ fixture: "empty" }')],
      [imports, named("empty", '{ fixture: "empty" }')],
    ].map((lines, at) => {
      writeFileSync(join(folder, "vitest", `options-${at}.test.js`), lines.join("\n"));
      return `options-${at}.test.js`;
    });
    const alone = ["--no-isolate", "--no-file-parallelism", "--reporter=verbose"];
    const { said } = await run("vitest", [vitest, "run", ...alone, ...files]);
    const lines = said.match(/(harbour|empty) at \S+/g) ?? [];
    expect([lines.length, new Set(lines).size]).toEqual([3, 2]);
    expect(new Set(lines.map((line) => line.split(" at ")[1])).size).toBe(2);
  });
});

type Register = (name: string, body: Body) => void;
type Body = (own: { world: Record<PropertyKey, unknown>; sandbox: object }) => unknown;

/** Loads files of dist/ with globals of their own, as jest does for each file of tests. */
function inOwnGlobals(others: Record<string, unknown>) {
  const context = createContext({});
  const languages = new Set(runInContext("Object.getOwnPropertyNames(globalThis)", context) as string[]);
  for (const [name, described] of Object.entries(Object.getOwnPropertyDescriptors(globalThis)))
    if (!languages.has(name)) Object.defineProperty(context, name, described);
  // Newer versions of Node.js have it in all globals.
  runInContext("delete Symbol.asyncDispose; delete Symbol.dispose", context);
  const loaded = new Map<string, { exports: unknown }>();
  const load = (file: string): unknown => {
    const known = loaded.get(file);
    if (known) return known.exports;
    const module = { exports: {} };
    loaded.set(file, module);
    const fromFile = createRequire(file);
    const require = (name: string): unknown => {
      if (name in others) return others[name];
      return name.startsWith(".") && name.endsWith(".cjs") ? load(fromFile.resolve(name)) : fromFile(name);
    };
    const names = ["module", "exports", "require", "__filename", "__dirname"];
    const run = compileFunction(readFileSync(file, "utf8"), names, { filename: file, parsingContext: context });
    run(module, module.exports, Object.assign(require, { resolve: fromFile.resolve }), file, join(file, ".."));
    return module.exports;
  };
  return { load, evaluate: (code: string): unknown => runInContext(code, context) };
}

describe("The subpath of jest", () => {
  it("gives each test a world, and deletes it, where the globals have no Symbol.asyncDispose", async () => {
    const tests: (() => Promise<void>)[] = [];
    const ends: (() => Promise<void>)[] = [];
    const register = (_name: string, run: () => Promise<void>) => tests.push(run);
    const variants = { only: register, skip: register, failing: register, concurrent: register };
    const test = Object.assign((name: string, run: () => Promise<void>) => register(name, run), variants);
    const each: (() => Promise<void>)[] = [];
    const jest = {
      test,
      afterAll: (end: () => Promise<void>) => ends.push(end),
      afterEach: (end: () => Promise<void>) => each.push(end),
    };
    const { load, evaluate } = inOwnGlobals({ "@jest/globals": jest });
    const runner = load(join(root, "dist/jest.cjs")) as {
      sandboxTest(options: object): Register & { concurrent: Register };
    };
    const seen: string[] = [];
    let worlds: () => Promise<string[]> = async () => [];
    const late = runner.sandboxTest({ clock: "anchor" });
    late("sells", async ({ world, sandbox }) => {
      worlds = async () => {
        const { controlUrl, controlToken } = sandbox as { controlUrl: string; controlToken: string };
        const answer = await fetch(`${controlUrl}/worlds`, { headers: { authorization: `Bearer ${controlToken}` } });
        return ((await answer.json()) as { items: { id: string }[] }).items.map(({ id }) => id);
      };
      seen.push(...(await worlds()));
      expect(Object.keys(world)).not.toContain("undefined");
    });
    expect(evaluate("typeof Symbol.asyncDispose")).toBe("undefined");
    for (const run of tests) await run();
    expect([seen.length, await worlds()]).toEqual([2, ["default"]]);
    // One that runs out of time is over before its body.
    const printed = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    for (const end of each) await end();
    expect(printed).not.toHaveBeenCalled();
    const runLate = async (register: Register, name: string) => {
      await new Promise<void>((begun) => {
        register(name, () => {
          begun();
          return new Promise(() => undefined);
        });
        void tests.at(-1)?.();
      });
    };
    await runLate(late, "is late");
    await runLate(late.concurrent, "is late concurrently");
    for (const end of each) await end();
    expect(printed.mock.calls.join()).toContain("What happened in the world of “is late”:");
    expect(printed.mock.calls.join()).not.toContain("concurrently");
    for (const end of ends) await end();
    expect(printed.mock.calls.join()).toContain("What happened in the world of “is late concurrently”:");
    printed.mockRestore();
  });
});

// `sandbox init`: the created files pass their checks, existing files are kept, and obstacles are named.
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { boot } from "../../src/cli/boot.ts";
import { defaults } from "../../src/engine/settings.ts";
import { startSandbox } from "../../src/index.ts";
import { toCommand } from "../../src/platform/shell-quoted.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { runHere } from "./in-process.ts";
import { bin } from "./run-sandbox.ts";

const root = process.cwd();
const workFolder = makeTempFolder();

const sandbox = (...words: string[]) => runHere(words);

let projects = 0;
/** A project with the package installed, and this package.json. */
function project(manifest?: string): string {
  const folder = join(workFolder, `project ${++projects}`);
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(root, join(folder, "node_modules/experience-sandbox"));
  if (manifest !== undefined) writeFileSync(join(folder, "package.json"), manifest);
  return folder;
}

const NODE_TEST = '{ "scripts": { "test": "node --test" } }';
const STARTER = [
  ".github/workflows/contract.yml",
  "my-company/about.md",
  "my-company/events.json",
  "my-company/experiences.json",
  "my-company/history.json",
  "my-company/locations.json",
  "my-company/world.json",
  "sandbox.config.yaml",
  "scenarios/first-booking.yaml",
];

describe("In a project with node:test", () => {
  const folder = project(NODE_TEST);

  it("writes a fixture, a scenario, a test, options and a workflow, and lists the commands to run", async () => {
    const { code, stdout } = await sandbox("init", folder);
    expect(code).toBe(0);
    for (const path of [...STARTER, "test/first-booking.test.mjs"]) {
      expect(existsSync(join(folder, path)), path).toBe(true);
      expect(stdout).toContain(`  ${path}`);
    }
    expect(stdout).toMatch(
      /Next:\n {2}cd ".*"\n {2}npx --no-install sandbox play scenarios .*\n {2}npx --no-install sandbox start .*\n {2}node --test/,
    );
  });

  it("starts a sandbox with the options of the file", async () => {
    const { fixture, memory } = parse(readFileSync(join(folder, "sandbox.config.yaml"), "utf8"));
    const { close, introduction } = await boot({
      ...defaults,
      fixture: join(folder, fixture),
      ...(memory ? {} : { data: "x" }),
    });
    try {
      expect((await fetch(`${introduction.announcement.url}/healthz`)).status).toBe(200);
    } finally {
      await close();
    }
  });

  it("creates a test that passes with dist/", () => {
    const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, VITEST: ___, ...env } = process.env;
    const { status, stdout } = spawnSync(process.execPath, ["--test"], { cwd: folder, env, encoding: "utf8" });
    expect(status, stdout).toBe(0);
    expect(stdout).toMatch(/pass 2\b/);
  });

  it("creates workflow steps that pass", () => {
    const { jobs } = parse(readFileSync(join(folder, ".github/workflows/contract.yml"), "utf8"));
    const steps = (jobs.contract.steps as { run?: string }[]).flatMap(
      ({ run = "" }) => /^npx --no-install sandbox (.+)/.exec(run)?.[1] ?? [],
    );
    expect(steps).toHaveLength(2);
    for (const step of steps) {
      const { status, stderr } = spawnSync(process.execPath, [bin, ...step.split(" ")], {
        cwd: folder,
        encoding: "utf8",
      });
      expect(status, stderr).toBe(0);
    }
    expect(readFileSync(join(folder, "report.xml"), "utf8")).toContain('failures="0"');
  });

  it("references an existing $schema from each file", () => {
    const named = STARTER.flatMap((path) => {
      const [, to] = /\$schema"?[=:] ?"?([^"\s]+)/.exec(readFileSync(join(folder, path), "utf8")) ?? [];
      return to === undefined ? [] : [[path, to] as const];
    });
    expect(named.map(([path]) => path)).toEqual(
      STARTER.filter((path) => /my-company.*json|first-booking|sandbox\.config/.test(path)),
    );
    for (const [path, to] of named) {
      const [file = "", part = ""] = to.split("#");
      expect(file).toContain("/node_modules/experience-sandbox/spec/");
      const schema = JSON.parse(readFileSync(join(folder, dirname(path), file), "utf8"));
      if (part !== "") expect(schema.$defs).toHaveProperty(part.replace("/$defs/", ""));
    }
  });

  it("leaves everything unchanged and lists it on a second run", async () => {
    writeFileSync(join(folder, "my-company/about.md"), "Mine\n");
    rmSync(join(folder, "sandbox.config.yaml"));
    const { code, stdout } = await sandbox("init", folder, "--json");
    expect(code).toBe(0);
    const { created, left } = JSON.parse(stdout);
    expect(created).toEqual(["sandbox.config.yaml"]);
    expect(left).toHaveLength(STARTER.length);
    expect(readFileSync(join(folder, "my-company/about.md"), "utf8")).toBe("Mine\n");
    const again = await sandbox("init", folder);
    expect(again.stdout).toContain("Not changed, because they exist:\n  .github/workflows/contract.yml\n");
    expect(again.stdout).not.toContain("Written");
  });
});

describe("The test matches the test runner of the project:", () => {
  it.each([
    ['{ "scripts": { "test": "vitest run" } }', "vitest", 'from "vitest"', "test/first-booking.test.mjs"],
    ['{ "devDependencies": { "vitest": "4" } }', "vitest", 'from "vitest"', "test/first-booking.test.mjs"],
    [
      '{ "devDependencies": { "jest": "30" } }',
      "jest",
      'require("experience-sandbox/jest")',
      "test/first-booking.test.js",
    ],
    ['{ "type": "module", "scripts": { "test": "jest" } }', "jest", "import {", "test/first-booking.test.js"],
    [
      '{ "scripts": { "test": "node --test" }, "devDependencies": { "jest": "30" } }',
      "node:test",
      'from "experience-sandbox/node-test"',
      "test/first-booking.test.mjs",
    ],
  ])("%s", async (manifest, runner, words, path) => {
    const folder = project(manifest);
    const { created, runner: found } = JSON.parse((await sandbox("init", folder, "--json")).stdout);
    expect(found).toBe(runner);
    expect(created).toContain(path);
    expect(readFileSync(join(folder, path), "utf8")).toContain(words);
    const commands = {
      vitest: "npx --no-install vitest run",
      jest: "npx --no-install jest",
      "node:test": "node --test",
    };
    const run = commands[runner as keyof typeof commands];
    expect(readFileSync(join(folder, ".github/workflows/contract.yml"), "utf8")).toContain(`- run: ${run}\n`);
  });

  it.each([
    undefined,
    "{}",
    "[]",
    '{ "scripts": null, "dependencies": 3 }',
    '{ "scripts": { "test": "echo \\"Error: no test specified\\" && exit 1" } }',
    '{ "scripts": { "test": "mocha" } }',
    "{ broken",
  ])("uses the test runner of Node for %s, and prints the command", async (manifest) => {
    const folder = project(manifest);
    const { stdout } = await sandbox("init", folder);
    expect(stdout).toMatch(/\n {2}node --test +runs the test with node:test\n/);
    expect(existsSync(join(folder, "test/first-booking.test.mjs"))).toBe(true);
    expect(workflowOf(folder)).toContain("      - run: node --test\n");
    expect(JSON.parse((await sandbox("init", folder, "--json")).stdout)).toMatchObject({ created: [] });
  });
});

describe("The test matches the language of the project:", () => {
  it.each([
    [
      { "tsconfig.json": "{}", "package.json": '{ "scripts": { "test": "vitest" } }' },
      "ts",
      "test/first-booking.test.ts",
    ],
    [
      { "tsconfig.json": "{}", "package.json": '{ "scripts": { "test": "jest" } }' },
      "ts",
      "test/first-booking.test.ts",
    ],
    [{ "package.json": '{ "scripts": { "test": "vitest" } }' }, "js", "test/first-booking.test.mjs"],
    [{ "pyproject.toml": "" }, "python", "test/test_first_booking.py"],
    [{ "requirements.txt": "" }, "python", "test/test_first_booking.py"],
    [{ "composer.json": "{}" }, "php", "tests/FirstBookingTest.php"],
  ])("%j", async (files, language, path) => {
    const folder = project();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const { created, language: found } = JSON.parse((await sandbox("init", folder, "--json")).stdout);
    expect(found).toBe(language);
    expect(created.filter((each: string) => each.startsWith("test"))).toEqual([path]);
    expect(readFileSync(join(folder, path), "utf8")).not.toContain("require(");
  });

  it("uses the language in --lang", async () => {
    const folder = project(NODE_TEST);
    const { stdout } = await sandbox("init", folder, "--lang", "php");
    expect(stdout).toContain("  tests/FirstBookingTest.php");
    const runs =
      "      - run: composer install\n      - run: npx --no-install sandbox exec -- vendor/bin/phpunit tests\n";
    expect(workflowOf(folder)).toContain(runs);
    expect(await sandbox("init", folder, "--lang", "pyton")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Did you mean python?"),
    });
  });

  it("creates a Python test that passes with sandbox exec", () => {
    const folder = project();
    const run = (...words: string[]) => spawnSync(process.execPath, [bin, ...words], { cwd: folder, encoding: "utf8" });
    run("init", "--lang", "python");
    const { status, stderr } = run("exec", "--", "python3", "-m", "unittest", "discover", "-s", "test");
    expect(status, stderr).toBe(0);
    expect(stderr).toContain("Ran 1 test");
  });
});

const workflowOf = (folder: string) => readFileSync(join(folder, ".github/workflows/contract.yml"), "utf8");

it.each([60, 80, 120])("Commands to type fit %d columns", async (width) => {
  const { stdout } = await runHere(["init", project(NODE_TEST)], {}, width);
  const rows = stdout.split("\n").filter((line) => !/^ {2}cd /.test(line));
  expect(rows.filter((line) => line.length > width)).toEqual([]);
});

describe("Adds a `sandbox` script to package.json, with its indentation:", () => {
  it.each([
    [
      '{\n  "name": "a",\n  "scripts": {\n    "test": "node --test"\n  }\n}\n',
      '{\n  "name": "a",\n  "scripts": {\n    "test": "node --test",\n    "sandbox": "sandbox"\n  }\n}\n',
    ],
    ['{\n\t"name": "a"\n}\n', '{\n\t"name": "a",\n\t"scripts": {\n\t\t"sandbox": "sandbox"\n\t}\n}\n'],
    ["{}\n", '{\n  "scripts": {\n    "sandbox": "sandbox"\n  }\n}\n'],
  ])("%j", async (before, after) => {
    const folder = project(before);
    const { stdout } = await sandbox("init", folder);
    expect(readFileSync(join(folder, "package.json"), "utf8")).toBe(after);
    expect(stdout).toMatch(/Added to package\.json:\n {2}"sandbox": "sandbox" +a script: npm run sandbox -- start\n/);
    const again = JSON.parse((await sandbox("init", folder, "--json")).stdout);
    expect([again.script, readFileSync(join(folder, "package.json"), "utf8")]).toEqual([false, after]);
  });

  it.each(['{ "scripts": { "sandbox": "mine" } }', '{ "scripts": 3 }', "[]", "{ broken", '{ "scripts": null }'])(
    "does not add it to %s",
    async (manifest) => {
      const folder = project(manifest);
      expect(JSON.parse((await sandbox("init", folder, "--json")).stdout)).toMatchObject({ script: false });
      expect(readFileSync(join(folder, "package.json"), "utf8")).toBe(manifest);
    },
  );

  it("does not replace an existing one", async () => {
    const folder = project();
    expect(JSON.parse((await sandbox("init", folder, "--json")).stdout)).toMatchObject({ script: false });
    expect(existsSync(join(folder, "package.json"))).toBe(false);
  });
});

describe("Reports obstacles, and writes nothing:", () => {
  it("a link that points outside", async () => {
    const folder = project();
    symlinkSync(tmpdir(), join(folder, "my-company"));
    const { code, stderr } = await sandbox("init", folder);
    expect([code, stderr]).toEqual([1, expect.stringContaining("my-company/about.md points through a link to ")]);
    expect(existsSync(join(folder, "scenarios"))).toBe(false);
  });

  it("a file in place of the target folder", async () => {
    expect(await sandbox("init", join(root, "package.json"))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is a file. Name a folder."),
    });
  });

  // Whoever is root may write everywhere.
  it("a path that can't contain a folder", async () => {
    const { code, stderr } = await sandbox("init", "/dev/null/x");
    expect(code).toBe(1);
    expect(stderr).toMatch(/can't be written: ENOTDIR.* Name a folder that you may write to\./);
  });

  it.skipIf(process.getuid?.() === 0)("a read-only folder", async () => {
    const folder = project();
    chmodSync(folder, 0o555);
    const { code, stderr } = await sandbox("init", folder);
    chmodSync(folder, 0o755);
    expect(code).toBe(1);
    expect(stderr).toMatch(/can't be written: EACCES.* Name a folder that you may write to\./);
  });
});

it("A new folder is created with instructions to install the package", async () => {
  const { code, stdout } = await sandbox("init", join(workFolder, "new", "deep"));
  expect(code).toBe(0);
  expect(stdout).toContain(`  npm init -y\n  npm install --save-dev ${toCommand([root])}\n`);
});

it("The starter files take the zone of another company", async () => {
  const own = join(workFolder, "elsewhere");
  cpSync("docs/starter/my-company", own, { recursive: true });
  for (const file of ["world.json", "locations.json"].map((name) => join(own, name)))
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("Europe/Copenhagen", "America/Los_Angeles"));
  const elsewhere = await startSandbox({ fixture: own, clock: "anchor" });
  // 11:00 there.
  expect(await elsewhere.clock.now()).toBe("2030-06-01T18:00:00.000Z");
  await elsewhere.close();
});

// sandbox init: what it writes passes as it stands, whatever exists is left alone, and what stands in the way is named.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { boot } from "../../src/cli/boot.ts";
import { makeTerminal } from "../../src/cli/terminal/terminal.ts";
import { readFixture } from "../../src/engine/fixtures/read.ts";
import { defaults } from "../../src/engine/settings.ts";
import { startSandbox } from "../../src/index.ts";
import { toCommand } from "../../src/platform/shell-quoted.ts";
import { runCommand } from "./in-process.ts";
import { bin } from "./run-sandbox.ts";

const root = process.cwd();
const workFolder = mkdtempSync(join(tmpdir(), "sandbox-init-"));
afterAll(() => rmSync(workFolder, { recursive: true, force: true }));

const sandbox = (...words: string[]) => sandboxAt(undefined, ...words);

async function sandboxAt(columns: number | undefined, ...words: string[]) {
  const message = { stdout: "", stderr: "" };
  const stream = (name: "stdout" | "stderr") => ({
    write(text: string | Uint8Array) {
      message[name] += text;
      return true;
    },
    isTTY: columns !== undefined,
    columns: columns ?? 80,
  });
  const code = await runCommand(words, {
    terminal: makeTerminal(stream("stdout"), stream("stderr"), {}),
    environment: {},
  });
  return { code, ...message };
}

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
      /Next:\n {2}cd ".*"\n {2}npx --no-install sandbox play scenarios .*\n {2}npx --no-install sandbox start .*\n {2}npm test/,
    );
    expect(
      Math.max(
        ...stdout
          .split("\n")
          .filter((line) => !line.includes(" cd "))
          .map((line) => line.length),
      ),
    ).toBeLessThan(80);
  });

  it("creates a valid fixture and scenario", async () => {
    expect(await sandbox("validate", folder)).toMatchObject({ code: 0 });
  });

  it("creates a scenario that plays", async () => {
    const { code, stdout, stderr } = await sandbox("play", join(folder, "scenarios"));
    expect(code, stdout + stderr).toBe(0);
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
    const run = manifest.includes("scripts")
      ? "npm test"
      : runner === "jest"
        ? "npx --no-install jest"
        : "npx --no-install vitest run";
    expect(readFileSync(join(folder, ".github/workflows/contract.yml"), "utf8")).toContain(`- run: ${run}\n`);
  });

  it.each([
    undefined,
    "{}",
    "[]",
    '{ "scripts": null, "dependencies": 3 }',
    '{ "scripts": { "test": "echo \\"Error: no test specified\\" && exit 1" } }',
  ])("uses the test runner of Node for %s, and prints the command", async (manifest) => {
    const folder = project(manifest);
    const { stdout } = await sandbox("init", folder);
    expect(stdout).toMatch(/\n {2}node --test +runs the test with node:test\n/);
    expect(existsSync(join(folder, "test/first-booking.test.mjs"))).toBe(true);
    expect(workflowOf(folder)).toContain("      - run: node --test\n");
    expect(JSON.parse((await sandbox("init", folder, "--json")).stdout)).toMatchObject({ created: [], updated: [] });
  });

  it.each([
    [
      '{ "scripts": { "test": "mocha" } }',
      "names none of vitest, jest and `node --test`. Fix that, then run this command again",
    ],
    ["{ broken", "package.json can't be read: "],
  ])("writes no test for %s, and writes the other files", async (manifest, reason) => {
    const folder = project(manifest);
    const { code, stdout } = await sandbox("init", folder);
    expect(code).toBe(0);
    expect(stdout).toContain(`No test was written: `);
    expect(stdout).toContain(reason);
    expect(existsSync(join(folder, "test"))).toBe(false);
    expect(readFileSync(join(folder, ".github/workflows/contract.yml"), "utf8")).not.toContain("npm test");
    expect(existsSync(join(folder, "my-company/world.json"))).toBe(true);
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

/** What says which package manager it is, in files; the commands of the workflow, and what is to be typed. */
const MANAGERS: Record<string, { files: Record<string, string>; steps: string[]; typed: string[] }> = {
  npm: {
    files: { "package-lock.json": "{}" },
    steps: ["npm ci", "npx --no-install sandbox", "npx --no-install sandbox", "npm test"],
    typed: [
      "npm install --save-dev",
      "npx --no-install sandbox",
      "npx --no-install sandbox",
      "npm test",
      "npx --no-install sandbox",
    ],
  },
  "pnpm by its lock file": {
    files: { "pnpm-lock.yaml": "", "package-lock.json": "{}" },
    steps: ["corepack enable", "pnpm install --frozen-lockfile", "pnpm exec sandbox", "pnpm exec sandbox", "pnpm test"],
    typed: ["pnpm add --save-dev", "pnpm exec sandbox", "pnpm exec sandbox", "pnpm test", "pnpm exec sandbox"],
  },
  "yarn by its lock file": {
    files: { "yarn.lock": "__metadata:\n  version: 8\n" },
    steps: ["corepack enable", "yarn install --immutable", "yarn sandbox", "yarn sandbox", "yarn test"],
    typed: ["yarn add --dev", "yarn sandbox", "yarn sandbox", "yarn test", "yarn sandbox"],
  },
  "yarn 1 by its lock file": {
    files: { "yarn.lock": "# THIS IS AN AUTOGENERATED FILE.\n# yarn lockfile v1\n" },
    steps: ["yarn install --frozen-lockfile", "yarn sandbox", "yarn sandbox", "yarn test"],
    typed: ["yarn add --dev", "yarn sandbox", "yarn sandbox", "yarn test", "yarn sandbox"],
  },
  "bun by its lock file": {
    files: { "bun.lock": "{}" },
    steps: ["bun install --frozen-lockfile", "bun run sandbox", "bun run sandbox", "bun run test"],
    typed: ["bun add --dev", "bun run sandbox", "bun run sandbox", "bun run test", "bun run sandbox"],
  },
  "pnpm by package.json": {
    files: {
      "package.json": '{ "packageManager": "pnpm@9.1.0", "scripts": { "test": "node --test" } }',
      "yarn.lock": "",
    },
    steps: ["corepack enable", "pnpm install --frozen-lockfile", "pnpm exec sandbox", "pnpm exec sandbox", "pnpm test"],
    typed: ["pnpm add --save-dev", "pnpm exec sandbox", "pnpm exec sandbox", "pnpm test", "pnpm exec sandbox"],
  },
  "yarn 1 by package.json": {
    files: { "package.json": '{ "packageManager": "yarn@1.22.22", "scripts": { "test": "node --test" } }' },
    steps: ["yarn install --frozen-lockfile", "yarn sandbox", "yarn sandbox", "yarn test"],
    typed: ["yarn add --dev", "yarn sandbox", "yarn sandbox", "yarn test", "yarn sandbox"],
  },
};

describe("The package manager of the project is used:", () => {
  const short = (line: string) =>
    /^(?:npx --no-install|pnpm exec|yarn|bun run) sandbox|^(?:npm install|pnpm add|bun add) --\S+|^yarn add --dev/.exec(
      line,
    )?.[0] ?? line;

  function made(files: Record<string, string>, deeper = ""): string {
    const folder = mkdtempSync(join(workFolder, "manager-"));
    mkdirSync(join(folder, ".git"));
    for (const [name, text] of Object.entries({ "package.json": NODE_TEST, ...files }))
      writeFileSync(join(folder, name), text);
    mkdirSync(join(folder, deeper), { recursive: true });
    if (deeper) writeFileSync(join(folder, deeper, "package.json"), NODE_TEST);
    return join(folder, deeper);
  }

  it.each(Object.entries(MANAGERS))("%s, also in a workspace package", async (name, { files, steps, typed }) => {
    for (const deeper of ["", "packages/one"]) {
      const folder = made(files, deeper);
      const { manager, next } = JSON.parse((await sandbox("init", folder, "--json")).stdout);
      expect(manager).toBe(name.split(" ")[0]);
      expect(next.slice(1).map(short)).toEqual(typed);
      const { jobs } = parse(workflowOf(folder)) as { jobs: { contract: { steps: { run?: string }[] } } };
      expect(jobs.contract.steps.flatMap(({ run }) => (run ? [short(run)] : []))).toEqual(steps);
    }
  });

  it.each([60, 80, 120])("commands to type fit %d columns", async (width) => {
    for (const { files } of Object.values(MANAGERS)) {
      const { stdout } = await sandboxAt(width, "init", made(files));
      const rows = stdout.split("\n").filter((line) => !/^ {2}(cd|.*(--save-dev|--dev)) /.test(line));
      expect(rows.filter((line) => line.length > width)).toEqual([]);
    }
  });
});

describe("Adds a `sandbox` script to package.json without other changes:", () => {
  it.each([
    [
      '{\n  "name": "a",\n  "scripts": {\n    "test": "node --test"\n  },\n  "files": ["a", "b"]\n}\n',
      '{\n  "name": "a",\n  "scripts": {\n    "sandbox": "sandbox",\n    "test": "node --test"\n  },\n  "files": ["a", "b"]\n}\n',
    ],
    [
      '{\r\n\t"scripts": {},\r\n\t"config": { "scripts": { "a": "b" } }\r\n}',
      '{\r\n\t"scripts": { "sandbox": "sandbox" },\r\n\t"config": { "scripts": { "a": "b" } }\r\n}',
    ],
    [
      '{ "config": { "scripts": {} }, "scripts": { "test": "node --test" } }',
      '{ "config": { "scripts": {} }, "scripts": { "sandbox": "sandbox", "test": "node --test" } }',
    ],
    [
      '{\n    "name": "a",\n    "version": "1.0.0"\n}\n',
      '{\n    "name": "a",\n    "version": "1.0.0",\n    "scripts": {\n        "sandbox": "sandbox"\n    }\n}\n',
    ],
    ['{"name":"a"}', '{"name":"a","scripts": { "sandbox": "sandbox" }}'],
    ["{}\n", '{ "scripts": { "sandbox": "sandbox" } }\n'],
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

describe("A workflow from an earlier run", () => {
  it("is updated if the project now has a test or another package manager", async () => {
    const folder = project('{ "scripts": { "test": "mocha" } }');
    await sandbox("init", folder);
    expect(workflowOf(folder)).not.toContain("npm test");
    writeFileSync(join(folder, "package.json"), '{ "scripts": { "test": "vitest run" } }');
    const { stdout } = await sandbox("init", folder);
    expect(stdout).toContain("Written:\n  test/first-booking.test.mjs");
    expect(stdout).toContain("not changed them since they were written:\n  .github/workflows/contract.yml\n");
    expect(workflowOf(folder)).toContain("      - run: npm test\n");
    writeFileSync(join(folder, "pnpm-lock.yaml"), "");
    expect(JSON.parse((await sandbox("init", folder, "--json")).stdout)).toMatchObject({
      created: [],
      updated: [".github/workflows/contract.yml"],
    });
    expect(workflowOf(folder)).toContain("      - run: pnpm test\n");
  });

  it("is left unchanged if it was edited", async () => {
    const folder = project('{ "scripts": { "test": "mocha" } }');
    await sandbox("init", folder);
    const mine = `${workflowOf(folder)}# mine\n`;
    writeFileSync(join(folder, ".github/workflows/contract.yml"), mine);
    writeFileSync(join(folder, "package.json"), NODE_TEST);
    expect(JSON.parse((await sandbox("init", folder, "--json")).stdout)).toMatchObject({ updated: [] });
    expect(workflowOf(folder)).toBe(mine);
  });
});

describe("Reports obstacles, and writes nothing:", () => {
  it("a file in place of a folder", async () => {
    const folder = project();
    writeFileSync(join(folder, "my-company"), "");
    const { code, stderr } = await sandbox("init", folder);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /my-company is a file, and my-company\/about\.md needs a folder there\. Move it, or name another folder/,
    );
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

it("The starter files are valid in the repository", async () => {
  expect(readFixture("./docs/starter/my-company", "fixtures").events).toHaveLength(4);
  expect(await sandbox("validate", "docs/starter")).toMatchObject({ code: 0 });
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

// The project that `sandbox init` writes into: its language, package manager and test runner.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readBounded } from "../platform/bounded-file.ts";
import { isObject } from "../platform/json.ts";
import { toMessage } from "./failure.ts";
import { findPackageManager, type PackageManager } from "./installers.ts";

export const LANGUAGES = ["ts", "js", "python", "php"] as const;
export type Language = (typeof LANGUAGES)[number];

/** `test` is absent where `noTest` says why. */
export interface Project {
  language: Language;
  hasManifest: boolean;
  manager: PackageManager;
  test?: Test;
  /** Why no test is written. */
  noTest?: string;
}

interface Test {
  runner: string;
  /** Its name in docs/starter/test. */
  template: string;
  path: string;
  /** What to type to run it. */
  command: string;
  /** What a workflow runs first, to install packages of another language. */
  install?: string;
}

interface Runner extends Omit<Test, "command"> {
  inScript: RegExp;
  /** How the package of this name is run where no test script does. */
  alone?: string;
}

const [MODULE, SCRIPT, TYPESCRIPT] = ["mjs", "js", "ts"].map((end) => `test/first-booking.test.${end}`) as [
  string,
  string,
  string,
];
const JEST = { runner: "jest", template: "jest.js", path: SCRIPT, inScript: /\bjest\b/, alone: "jest" };
/** In the order in which the test script is looked at. `node:test` is no package. */
const RUNNERS: readonly Runner[] = [
  { runner: "vitest", template: "vitest.mjs", path: MODULE, inScript: /\bvitest\b/, alone: "vitest run" },
  JEST,
  { runner: "node:test", template: "node-test.mjs", path: MODULE, inScript: /\bnode\b.*--test\b/ },
];

/** For a project that tests nothing yet: it needs neither a package nor a test script. */
const BARE: Test = { runner: "node:test", template: "node-test.mjs", path: MODULE, command: "node --test" };

/** The files that name the language, in the order in which they are looked for. */
const LANGUAGE_FILES: readonly (readonly [file: string, language: Language])[] = [
  ["tsconfig.json", "ts"],
  ["package.json", "js"],
  ["pyproject.toml", "python"],
  ["requirements.txt", "python"],
  ["composer.json", "php"],
];

const findLanguage = (folder: string): Language =>
  LANGUAGE_FILES.find(([file]) => existsSync(join(folder, file)))?.[1] ?? "js";

/** Never throws: a project that can't be read gets everything but the test. */
export function readProject(folder: string, language: Language = findLanguage(folder)): Project {
  const manager = findPackageManager(folder);
  const hasManifest = existsSync(join(folder, "package.json"));
  const about = { language, hasManifest, manager };
  if (language === "python" || language === "php") return { ...about, test: createExecTest(language, manager) };
  if (!hasManifest) return { ...about, test: toLanguage(BARE, language) };
  try {
    const manifest = readMembers(JSON.parse(readBounded(join(folder, "package.json"))));
    const script = readTestScript(manifest);
    const runner = findRunner(manifest);
    const test = runner ? toTest(runner, script, manager) : script === "" ? BARE : undefined;
    if (test) return { ...about, test: toLanguage(test, language) };
    return { ...about, noTest: "the test script of package.json names none of vitest, jest and `node --test`" };
  } catch (error) {
    return { ...about, noTest: `package.json can't be read: ${toMessage(error).replace(/\.$/, "")}` };
  }
}

/** The tests are valid TypeScript too. Node.js runs a file of TypeScript itself since version 22.18. */
function toLanguage(test: Test, language: Language): Test {
  const canRun = test.runner !== "node:test" || Boolean((process.features as { typescript?: unknown }).typescript);
  if (language !== "ts" || !canRun) return test;
  return { ...test, template: test.template === "jest.js" ? "jest-module.js" : test.template, path: TYPESCRIPT };
}

/** A test in a language that gets the sandbox from `sandbox exec`. */
function createExecTest(language: "python" | "php", { exec }: PackageManager): Test {
  const run = `${exec} sandbox exec --`;
  if (language === "python") {
    const path = "test/test_first_booking.py";
    return { runner: "unittest", template: "python.py", path, command: `${run} python3 -m unittest discover -s test` };
  }
  const path = "tests/FirstBookingTest.php";
  const install = "composer install";
  return { runner: "phpunit", template: "phpunit.php", path, command: `${run} vendor/bin/phpunit tests`, install };
}

function toTest({ runner, template, path, inScript, alone }: Runner, script: string, manager: PackageManager): Test {
  const command = inScript.test(script) || !alone ? manager.test : `${manager.exec} ${alone}`;
  return { runner, template, path, command };
}

/** The steps of a workflow that run a test. */
export const listTestSteps = (test: Pick<Test, "command" | "install"> | undefined): string[] =>
  [test?.install, test?.command].filter((step) => step !== undefined);

/** All steps that an earlier run may have written. */
export const listAllTestSteps = (manager: PackageManager): string[][] => [
  [],
  ...[BARE.command, manager.test].map((command) => [command]),
  ...RUNNERS.flatMap(({ alone }) => (alone ? [[`${manager.exec} ${alone}`]] : [])),
  ...(["python", "php"] as const).map((language) => listTestSteps(createExecTest(language, manager))),
];

/** "" also for the one that `npm init` writes, which only fails. */
function readTestScript({ scripts }: Members): string {
  const script = String(readMembers(scripts).test ?? "");
  return /no test specified/.test(script) ? "" : script;
}

/** The runner of the test script, otherwise one among the dependencies. */
function findRunner(manifest: Members): Runner | undefined {
  const { type, dependencies, devDependencies } = manifest;
  const script = readTestScript(manifest);
  const names = Object.keys({ ...readMembers(dependencies), ...readMembers(devDependencies) });
  const found =
    RUNNERS.find(({ inScript }) => inScript.test(script)) ?? RUNNERS.find(({ runner }) => names.includes(runner));
  // In a package of type module jest needs the template that imports.
  return found === JEST && type === "module" ? { ...JEST, template: "jest-module.js" } : found;
}

type Members = Readonly<Record<string, unknown>>;

const readMembers = (value: unknown): Members => (isObject(value) ? value : {});

// Detects the language, package manager and test runner of the project in which `sandbox init` runs.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readBounded } from "../platform/bounded-file.ts";
import { isObject } from "../platform/json.ts";
import { toMessage } from "./failure.ts";
import { findPackageManager, type PackageManager } from "./installers.ts";

export const LANGUAGES = ["ts", "js", "python", "php"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Either `test` or `noTest` is set. */
export interface Project {
  language: Language;
  hasManifest: boolean;
  manager: PackageManager;
  test?: Test;
  /** The reason why no test is written. */
  noTest?: string;
}

interface Test {
  runner: string;
  /** The name of the template in docs/starter/test. */
  template: string;
  path: string;
  /** The command that runs the test. */
  command: string;
  /** The workflow step that installs packages of another language first. */
  install?: string;
}

interface Runner extends Omit<Test, "command"> {
  inScript: RegExp;
  /** The command of the package if no test script runs it. */
  alone?: string;
}

const [MODULE, SCRIPT, TYPESCRIPT] = ["mjs", "js", "ts"].map((end) => `test/first-booking.test.${end}`) as [
  string,
  string,
  string,
];
const JEST = { runner: "jest", template: "jest.js", path: SCRIPT, inScript: /\bjest\b/, alone: "jest" };
/** The runners in the order in which the test script is searched for them. */
const RUNNERS: readonly Runner[] = [
  { runner: "vitest", template: "vitest.mjs", path: MODULE, inScript: /\bvitest\b/, alone: "vitest run" },
  JEST,
  { runner: "node:test", template: "node-test.mjs", path: MODULE, inScript: /\bnode\b.*--test\b/ },
];

/** The test of a project without a test script. It needs no package. */
const DEFAULT_TEST: Test = { runner: "node:test", template: "node-test.mjs", path: MODULE, command: "node --test" };

/** The files that determine the language. The first existing file decides. */
const LANGUAGE_FILES: readonly (readonly [file: string, language: Language])[] = [
  ["tsconfig.json", "ts"],
  ["package.json", "js"],
  ["pyproject.toml", "python"],
  ["requirements.txt", "python"],
  ["composer.json", "php"],
];

const findLanguage = (folder: string): Language =>
  LANGUAGE_FILES.find(([file]) => existsSync(join(folder, file)))?.[1] ?? "js";

/** Reads a project without ever throwing: an unreadable project gets all files except the test. */
export function readProject(folder: string, language: Language = findLanguage(folder)): Project {
  const manager = findPackageManager(folder);
  const hasManifest = existsSync(join(folder, "package.json"));
  const about = { language, hasManifest, manager };
  if (language === "python" || language === "php") return { ...about, test: createExecTest(language, manager) };
  if (!hasManifest) return { ...about, test: translateTest(DEFAULT_TEST, language) };
  try {
    const manifest = readMembers(JSON.parse(readBounded(join(folder, "package.json"))));
    const script = readTestScript(manifest);
    const runner = findRunner(manifest);
    const test = runner ? toTest(runner, script, manager) : script === "" ? DEFAULT_TEST : undefined;
    if (test) return { ...about, test: translateTest(test, language) };
    return { ...about, noTest: "the test script of package.json names none of vitest, jest and `node --test`" };
  } catch (error) {
    return { ...about, noTest: `package.json can't be read: ${toMessage(error).replace(/\.$/, "")}` };
  }
}

/** The templates are also valid TypeScript. Node.js runs TypeScript itself since version 22.18. */
function translateTest(test: Test, language: Language): Test {
  const canRun = test.runner !== "node:test" || Boolean((process.features as { typescript?: unknown }).typescript);
  if (language !== "ts" || !canRun) return test;
  return { ...test, template: test.template === "jest.js" ? "jest-module.js" : test.template, path: TYPESCRIPT };
}

/** Creates a test that gets its sandbox from `sandbox exec`. */
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

/** Returns the workflow steps that run a test. */
export const listTestSteps = (test: Pick<Test, "command" | "install"> | undefined): string[] =>
  [test?.install, test?.command].filter((step) => step !== undefined);

/** Returns all combinations of steps that an earlier run may have written. */
export const listAllTestSteps = (manager: PackageManager): string[][] => [
  [],
  ...[DEFAULT_TEST.command, manager.test].map((command) => [command]),
  ...RUNNERS.flatMap(({ alone }) => (alone ? [[`${manager.exec} ${alone}`]] : [])),
  ...(["python", "php"] as const).map((language) => listTestSteps(createExecTest(language, manager))),
];

/** Returns "" without a test script, and for the placeholder of `npm init`, which always fails. */
function readTestScript({ scripts }: Members): string {
  const script = String(readMembers(scripts).test ?? "");
  return /no test specified/.test(script) ? "" : script;
}

/** Returns the runner of the test script, or else one of the dependencies. */
function findRunner(manifest: Members): Runner | undefined {
  const { type, dependencies, devDependencies } = manifest;
  const script = readTestScript(manifest);
  const names = Object.keys({ ...readMembers(dependencies), ...readMembers(devDependencies) });
  const found =
    RUNNERS.find(({ inScript }) => inScript.test(script)) ?? RUNNERS.find(({ runner }) => names.includes(runner));
  // A package of type "module" needs the jest template with imports.
  return found === JEST && type === "module" ? { ...JEST, template: "jest-module.js" } : found;
}

type Members = Readonly<Record<string, unknown>>;

const readMembers = (value: unknown): Members => (isObject(value) ? value : {});

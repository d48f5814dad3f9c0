// The project that `sandbox init` writes into, as its package.json describes it: which package manager and which test runner it has.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readBounded } from "../platform/bounded-file.ts";
import { messageOf } from "./failure.ts";
import { type PackageManager, packageManagerOf } from "./installers.ts";

/** `test` is absent where `noTest` says why. */
export interface Project {
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
}

interface Runner extends Omit<Test, "command"> {
  inScript: RegExp;
  /** The package, and how it is run where no test script does. */
  dependency?: string;
  alone?: string;
}

const [MODULE, SCRIPT] = ["test/first-booking.test.mjs", "test/first-booking.test.js"];
const JEST = {
  runner: "jest",
  template: "jest.js",
  path: SCRIPT,
  inScript: /\bjest\b/,
  dependency: "jest",
  alone: "jest",
};
/** In the order in which the test script is looked at. */
const RUNNERS: readonly Runner[] = [
  {
    runner: "vitest",
    template: "vitest.mjs",
    path: MODULE,
    inScript: /\bvitest\b/,
    dependency: "vitest",
    alone: "vitest run",
  },
  JEST,
  { runner: "node:test", template: "node-test.mjs", path: MODULE, inScript: /\bnode\b.*--test\b/ },
];

/** For a project that tests nothing yet: it needs neither a package nor a test script. */
const BARE: Test = { runner: "node:test", template: "node-test.mjs", path: MODULE, command: "node --test" };

/** Never throws: a project that can't be read gets everything but the test. */
export function readProject(folder: string): Project {
  const manager = packageManagerOf(folder);
  const file = join(folder, "package.json");
  if (!existsSync(file)) return { hasManifest: false, manager, test: BARE };
  try {
    const manifest = members(JSON.parse(readBounded(file)));
    const found = runnerOf(manifest);
    if (found) return { hasManifest: true, manager, test: testOf(found, testScript(manifest), manager) };
    if (testScript(manifest) === "") return { hasManifest: true, manager, test: BARE };
    const noTest = "the test script of package.json names none of vitest, jest and `node --test`";
    return { hasManifest: true, manager, noTest };
  } catch (error) {
    const noTest = `package.json can't be read: ${messageOf(error).replace(/\.$/, "")}`;
    return { hasManifest: true, manager, noTest };
  }
}

function testOf({ runner, template, path, inScript, alone }: Runner, script: string, manager: PackageManager): Test {
  const command = inScript.test(script) || !alone ? manager.test : `${manager.exec} ${alone}`;
  return { runner, template, path, command };
}

/** All that `command` may be. */
export const testCommands = (manager: PackageManager): string[] => [
  BARE.command,
  manager.test,
  ...RUNNERS.flatMap(({ alone }) => (alone ? [`${manager.exec} ${alone}`] : [])),
];

/** "" also for the one that `npm init` writes, which only fails. */
function testScript({ scripts }: Members): string {
  const script = String(members(scripts).test ?? "");
  return /no test specified/.test(script) ? "" : script;
}

/** The runner of the test script, otherwise one among the dependencies. */
function runnerOf(manifest: Members): Runner | undefined {
  const { type, dependencies, devDependencies } = manifest;
  const script = testScript(manifest);
  const names = Object.keys({ ...members(dependencies), ...members(devDependencies) });
  const found =
    RUNNERS.find(({ inScript }) => inScript.test(script)) ??
    RUNNERS.find(({ dependency }) => dependency !== undefined && names.includes(dependency));
  // In a package of type module jest needs the template that imports.
  return found === JEST && type === "module" ? { ...JEST, template: "jest-module.js" } : found;
}

export type Members = Readonly<Record<string, unknown>>;

function members(value: unknown): Members {
  return typeof value === "object" && value !== null ? (value as Members) : {};
}

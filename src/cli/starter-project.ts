// The project that `sandbox init` writes into, as its package.json describes it: which test runner it has.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readBounded } from "../bounded-file.ts";
import { messageOf } from "./fault.ts";

export interface Project {
  hasManifest: boolean;
  test?: Test;
  /** Why no test is written. */
  noTest?: string;
}

interface Test {
  runner: string;
  /** Its name in docs/starter/test. */
  template: string;
  path: string;
}

interface Runner extends Test {
  inScript: RegExp;
  dependency?: string;
}

const [MODULE, SCRIPT] = ["test/first-booking.test.mjs", "test/first-booking.test.js"];
const JEST = { runner: "jest", template: "jest.js", path: SCRIPT, inScript: /\bjest\b/, dependency: "jest" };
const RUNNERS: readonly Runner[] = [
  { runner: "vitest", template: "vitest.mjs", path: MODULE, inScript: /\bvitest\b/, dependency: "vitest" },
  JEST,
  { runner: "node:test", template: "node-test.mjs", path: MODULE, inScript: /\bnode\b.*--test\b/ },
];

export function readProject(folder: string): Project {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return { hasManifest: false, noTest: "there is no package.json" };
  try {
    const manifest = JSON.parse(readBounded(file).replace(/^\uFEFF/, "")) as unknown;
    const found = runnerOf(members(manifest));
    if (!found) return { hasManifest: true, noTest: "package.json names none of vitest, jest and `node --test`" };
    const { runner, template, path } = found;
    return { hasManifest: true, test: { runner, template, path } };
  } catch (error) {
    return { hasManifest: true, noTest: `package.json can't be read: ${messageOf(error).replace(/\.$/, "")}` };
  }
}

/** The runner of the test script, otherwise one among the dependencies. */
function runnerOf({ type, scripts, dependencies, devDependencies }: Members): Runner | undefined {
  const script = String(members(scripts).test ?? "");
  const names = Object.keys({ ...members(dependencies), ...members(devDependencies) });
  const found =
    RUNNERS.find(({ inScript }) => inScript.test(script)) ??
    RUNNERS.find(({ dependency }) => dependency !== undefined && names.includes(dependency));
  return found === JEST && type === "module" ? { ...JEST, template: "jest-module.js" } : found;
}

type Members = Readonly<Record<string, unknown>>;

function members(value: unknown): Members {
  return typeof value === "object" && value !== null ? (value as Members) : {};
}

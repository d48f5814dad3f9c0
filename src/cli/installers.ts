// Which package manager a project uses, as `packageManager` of package.json or a lock file says, and what to type with it.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { readBounded } from "../platform/bounded-file.ts";

export interface PackageManager {
  readonly name: string;
  readonly locks: readonly string[];
  /** Makes a package.json. */
  readonly create: string;
  /** Installs for development what is named after it. */
  readonly add: string;
  /** Runs a program that is installed in the project. */
  readonly exec: string;
  readonly test: string;
  /** Steps of a workflow that install what the lock file says. */
  readonly steps: readonly string[];
}

const NPM: PackageManager = {
  name: "npm",
  locks: ["package-lock.json", "npm-shrinkwrap.json"],
  create: "npm init -y",
  add: "npm install --save-dev",
  // Without the option npx would offer to install a package that is missing, of whoever has its name.
  exec: "npx --no-install",
  test: "npm test",
  steps: ["run: npm ci"],
};
const PNPM: PackageManager = {
  name: "pnpm",
  locks: ["pnpm-lock.yaml"],
  create: "pnpm init",
  add: "pnpm add --save-dev",
  exec: "pnpm exec",
  test: "pnpm test",
  steps: ["run: corepack enable", "run: pnpm install --frozen-lockfile"],
};
const YARN: PackageManager = {
  name: "yarn",
  locks: ["yarn.lock"],
  create: "yarn init -y",
  add: "yarn add --dev",
  exec: "yarn",
  test: "yarn test",
  steps: ["run: corepack enable", "run: yarn install --immutable"],
};
/** Its first line knows no `--immutable`. */
const YARN_1: PackageManager = { ...YARN, steps: ["run: yarn install --frozen-lockfile"] };
const BUN: PackageManager = {
  name: "bun",
  locks: ["bun.lock", "bun.lockb"],
  create: "bun init -y",
  add: "bun add --dev",
  exec: "bun run",
  test: "bun run test",
  steps: ["uses: oven-sh/setup-bun@v2", "run: bun install --frozen-lockfile"],
};

/** Where a folder has the lock files of two, npm's is the one left over. The first whose lock file is there wins. */
export const packageManagers: readonly PackageManager[] = [BUN, PNPM, YARN, YARN_1, NPM];

/** Of the folder, or of the workspace that it lies in; npm where nothing says. */
export function findPackageManager(folder: string): PackageManager {
  // A workspace has its lock file at its root; the repository ends the search.
  for (let at = folder; ; at = dirname(at)) {
    const found = findDeclaredManager(at) ?? findManagerByLockFile(at);
    if (found) return found;
    if (existsSync(join(at, ".git")) || at === dirname(at)) return NPM;
  }
}

function findDeclaredManager(folder: string): PackageManager | undefined {
  const [, name, major] = /"packageManager"\s*:\s*"(\w+)@(\d+)/.exec(readOrEmpty(join(folder, "package.json"))) ?? [];
  return name === "yarn" && major === "1" ? YARN_1 : packageManagers.find((each) => each.name === name);
}

function findManagerByLockFile(folder: string): PackageManager | undefined {
  const found = packageManagers.find(({ locks }) => locks.some((lock) => existsSync(join(folder, lock))));
  return found === YARN && /^# yarn lockfile v1$/m.test(readOrEmpty(join(folder, "yarn.lock"))) ? YARN_1 : found;
}

function readOrEmpty(file: string): string {
  try {
    return readBounded(file);
  } catch {
    return "";
  }
}

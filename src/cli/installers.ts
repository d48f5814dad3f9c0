// Finds the package manager of a project by `packageManager` in package.json or by a lock file, with the commands for it.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { readBounded } from "../platform/bounded-file.ts";

export interface PackageManager {
  readonly name: string;
  readonly locks: readonly string[];
  /** The command that creates a package.json. */
  readonly create: string;
  /** The command that installs a development dependency. */
  readonly add: string;
  /** The command that runs a program of the project. */
  readonly exec: string;
  readonly test: string;
  /** Workflow steps that install the packages of the lock file. */
  readonly steps: readonly string[];
}

const NPM: PackageManager = {
  name: "npm",
  locks: ["package-lock.json", "npm-shrinkwrap.json"],
  create: "npm init -y",
  add: "npm install --save-dev",
  // The option keeps npx from installing a missing package, which anyone may have published under that name.
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
/** Yarn 1 has no `--immutable`. */
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

/** The first manager whose lock file exists wins. npm comes last, because its lock file is often left over from before. */
export const packageManagers: readonly PackageManager[] = [BUN, PNPM, YARN, YARN_1, NPM];

/** Returns the package manager of the folder or of its workspace. The default is npm. */
export function findPackageManager(folder: string): PackageManager {
  // A workspace has its lock file at the root. The search ends at the root of the repository.
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

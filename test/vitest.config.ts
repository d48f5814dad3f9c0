// How the tests run: from the root of the project, without isolation (Prism and Express are loaded once per worker), after
// making sure that what is generated and built is what the sources say. `--mode long` (or SANDBOX_LONG, see extent.ts) runs only the
// tests that then do more, `--mode fuzz` only the fuzzers, `--mode browser` only the tests in a browser, `--mode postgres` only those
// with a PostgreSQL, which do more with SANDBOX_LONG, `--mode static` only those that read the sources (`npm run check` does), `--mode
// rest` all of `npm test` that the long tests do not do as well; `--mode docs` lets the tests of the documents write them, `--mode pictures`
// takes the pictures in them. A mode works in every shell.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./longest-first.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What a mode sets, for the tests to read. */
const variables: Readonly<Record<string, string>> = {
  long: "SANDBOX_LONG",
  fuzz: "SANDBOX_FUZZ",
  browser: "SANDBOX_BROWSER",
  postgres: "SANDBOX_POSTGRES",
  pictures: "SANDBOX_PICTURES",
  static: "SANDBOX_STATIC",
  rest: "WITHOUT_LONG",
  docs: "UPDATE_DOCS",
  corpus: "SANDBOX_CORPUS",
};

/** The folders of tests that only their mode runs: [variable, folder]. */
const APART = [
  ["SANDBOX_LONG", "test/long"],
  ["SANDBOX_FUZZ", "test/fuzz"],
  ["SANDBOX_BROWSER", "test/browser"],
  ["SANDBOX_POSTGRES", "test/postgres"],
  ["SANDBOX_PICTURES", "test/pictures"],
  ["SANDBOX_STATIC", "test/architecture"],
  ["SANDBOX_CORPUS", "test/corpus"],
];

/** Where most tests wait, and where each worker would load the compiler, beside other checks. */
const WORKERS: Readonly<Record<string, number>> = { "test/postgres": 4, "test/architecture": 1, "test/corpus": 1 };

const LONG = ".long.test.ts";

/** Not in CI: the longest of what seldom breaks. */
const BY_HAND = ["test/long/console-memory.test.ts"];

/** test/long/, what is called so, and whatever has more to do when there is time; what has a mode of its own does more in that. */
function longTests(): string[] {
  const names = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" });
  const tests = names.filter((name) => name.endsWith(".test.ts")).map((name) => `test/${name.replaceAll("\\", "/")}`);
  const hasMore = (path: string) =>
    path.endsWith(LONG) || /SANDBOX_LONG|\/extent\.ts"/.test(readFileSync(join(root, path), "utf8"));
  const isBrief = process.env.SANDBOX_LONG === "brief";
  return tests
    .filter((path) => !(isBrief && BY_HAND.includes(path)))
    .filter(
      (path) => path.startsWith("test/long/") || (!/^test\/(postgres|browser|fuzz)\//.test(path) && hasMore(path)),
    );
}

export default defineConfig(({ mode }) => {
  const variable = variables[mode];
  if (variable) process.env[variable] ||= "1";
  const isLong = Boolean(process.env.SANDBOX_LONG);
  const [, only] = APART.find(([name]) => process.env[name as string] && name !== "SANDBOX_LONG") ?? [];
  return {
    root,
    test: {
      // What one run has transformed serves the next ones, of other modes and other Nodes too.
      experimental: { fsModuleCache: true },
      include: only ? [`${only}/**/*.test.ts`] : isLong ? longTests() : ["test/**/*.test.ts"],
      exclude:
        only || isLong
          ? []
          : [
              ...[`**/*${LONG}`, ...APART.map(([, folder]) => `${folder}/**`)],
              ...(process.env.WITHOUT_LONG ? longTests() : []),
            ],
      globalSetup: ["test/built.ts"],
      pool: "forks",
      isolate: false,
      // One more than most machines have cores to spare, as some tests mostly wait.
      maxWorkers: WORKERS[only ?? ""] ?? 3,
      // For what hangs, not for what is slow: a machine may be busy with other things.
      testTimeout: isLong ? 600_000 : 240_000,
      hookTimeout: 240_000,
      // The usual second is too little on a busy machine.
      expect: { poll: { timeout: 30_000 } },
      teardownTimeout: 5_000,
      restoreMocks: true,
      unstubEnvs: true,
      unstubGlobals: true,
      sequence: { hooks: "stack", sequencer: LongestFirst },
    },
  };
});

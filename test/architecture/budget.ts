// How many lines of code each module may have, as data. budget.test.ts checks it, and prints how far each module is from its goal.
// A ceiling goes down when a module shrinks. Only a new capability may raise it.

interface ModuleBudget {
  name: string;
  /** Files, and folders with a slash at the end. */
  paths: readonly string[];
  /** Code lines: neither blank nor only comment, without generated files. */
  ceiling: number;
  goal: number;
}

export const MODULES: readonly ModuleBudget[] = [
  { name: "engine/domain", paths: ["src/engine/domain/"], ceiling: 5_300, goal: 5_300 },
  {
    name: "engine/operations, acts, time",
    paths: ["src/engine/operations/", "src/engine/acts/", "src/engine/time/"],
    ceiling: 1_547,
    goal: 1_650,
  },
  {
    name: "engine/app, world, log",
    paths: ["src/engine/app/", "src/engine/world/", "src/engine/log/"],
    ceiling: 4_905,
    goal: 4_200,
  },
  { name: "engine/http", paths: ["src/engine/http/"], ceiling: 4_900, goal: 4_900 },
  { name: "engine/why", paths: ["src/engine/why/"], ceiling: 1_866, goal: 1_950 },
  { name: "engine/webhooks", paths: ["src/engine/webhooks/"], ceiling: 1_942, goal: 2_050 },
  { name: "engine/fixtures", paths: ["src/engine/fixtures/"], ceiling: 1_299, goal: 1_350 },
  {
    name: "engine/make, settings, sandbox.ts, index.ts",
    paths: [
      "src/engine/make/",
      "src/engine/setting-values.ts",
      "src/engine/settings.ts",
      "src/sandbox.ts",
      "src/index.ts",
    ],
    ceiling: 1_150,
    goal: 1_150,
  },
  { name: "hosted", paths: ["src/hosted/"], ceiling: 2_892, goal: 3_100 },
  { name: "stories", paths: ["src/stories/"], ceiling: 3_751, goal: 3_900 },
  { name: "verdict", paths: ["src/verdict/"], ceiling: 4_993, goal: 4_900 },
  { name: "console", paths: ["src/console/"], ceiling: 6_750, goal: 7_200 },
  { name: "cli", paths: ["src/cli/"], ceiling: 6_411, goal: 6_000 },
  { name: "client, library", paths: ["src/client/", "src/library/"], ceiling: 1_748, goal: 1_600 },
  { name: "mcp", paths: ["src/mcp/"], ceiling: 1_425, goal: 1_450 },
  { name: "build", paths: ["src/build/"], ceiling: 1_330, goal: 1_350 },
  { name: "platform, contract", paths: ["src/platform/", "src/contract/"], ceiling: 854, goal: 850 },
  { name: "all of src", paths: ["src/"], ceiling: 53_000, goal: 53_000 },
  { name: "all of test", paths: ["test/"], ceiling: 54_000, goal: 54_000 },
];

/** In code lines, with everything inside the function. */
export const MAX_FUNCTION_LINES = 60;
export const MAX_TSX_FUNCTION_LINES = 90;

/** Functions that are longer today. The list may only shrink. */
export const KNOWN_LONG_FUNCTIONS: readonly string[] = [];

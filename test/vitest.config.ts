// How the tests run: from the root of the project, without isolation (Prism and Express are loaded once per worker), after
// making sure that what is generated and built is what the sources say.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/built.ts"],
    pool: "forks",
    isolate: false,
    maxWorkers: 2,
    testTimeout: process.env.SANDBOX_LONG ? 120_000 : 15_000,
    hookTimeout: 30_000,
    teardownTimeout: 5_000,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    sequence: { hooks: "stack" },
  },
});

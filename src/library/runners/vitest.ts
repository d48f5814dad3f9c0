// The subpath experience-sandbox/vitest: a `test` whose context has a world for each test.
import { isDeepStrictEqual } from "node:util";
import { test as base, type TestAPI } from "vitest";
import { type Sandbox, type StartOptions, startSandbox } from "../../index.ts";
import { createOwnWorld, type OwnWorld } from "./own-world.ts";
import { describeWorld } from "./story.ts";

/** The sandboxes of this worker. Without isolation, several files share a worker. */
const sandboxes: { options: StartOptions; sandbox: Promise<Sandbox> }[] = [];

function findOrStartSandbox(options: StartOptions): Promise<Sandbox> {
  const same = sandboxes.find((one) => isDeepStrictEqual(one.options, options));
  if (same) return same.sandbox;
  const sandbox = startSandbox(options);
  sandboxes.push({ options, sandbox });
  return sandbox;
}

/** Closes all sandboxes. Later requests start new ones. */
async function closeAll(): Promise<void> {
  await Promise.allSettled(sandboxes.splice(0).map(async ({ sandbox }) => (await sandbox).close()));
}

/** All fixtures of a name in a worker share one value before vitest 4.1, which added `test.beforeAll`. */
const SCOPE = "beforeAll" in base ? "worker" : "test";

/** Creates the `test` of vitest: `test("…", async ({ world }) => { … })`. The tests of a worker share one sandbox with these options. */
export function sandboxTest(options: StartOptions = {}): TestAPI<OwnWorld> {
  return base.extend<OwnWorld & { sandboxesOfWorker: undefined }>({
    sandboxesOfWorker: [
      // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs
      async ({}, use) => {
        await use(undefined);
        await closeAll();
      },
      { scope: "worker" },
    ],
    // The sandbox depends on the fixture that closes it.
    sandbox: [async ({ sandboxesOfWorker: _ }, use) => use(await findOrStartSandbox(options)), { scope: SCOPE }],
    world: async ({ sandbox, task }, use) => {
      await using world = await createOwnWorld(sandbox, options, task.name || "a test without a name");
      await use(world);
      if (task.result?.state === "fail") console.error(await describeWorld(world, task.name));
    },
  });
}

export const test = sandboxTest();
export const it = test;

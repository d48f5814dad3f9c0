// experience-sandbox/vitest: a `test` whose context has a world of the test's own.
import { isDeepStrictEqual } from "node:util";
import { test as base, type TestAPI } from "vitest";
import { type Sandbox, type StartOptions, startSandbox } from "../../index.ts";
import { createOwnWorld, type OwnWorld } from "./own-world.ts";
import { describeWorld } from "./story.ts";

/** Those of this worker. Without isolation several files have one. */
const sandboxes: { options: StartOptions; sandbox: Promise<Sandbox> }[] = [];

function findOrStartSandbox(options: StartOptions): Promise<Sandbox> {
  const same = sandboxes.find((one) => isDeepStrictEqual(one.options, options));
  if (same) return same.sandbox;
  const sandbox = startSandbox(options);
  sandboxes.push({ options, sandbox });
  return sandbox;
}

/** Those that are asked for later start anew. */
async function closeAll(): Promise<void> {
  await Promise.allSettled(sandboxes.splice(0).map(async ({ sandbox }) => (await sandbox).close()));
}

/** Before 4.1, which also brought `test.beforeAll`, a worker has one value for all fixtures of a name, whoever defined them. */
const SCOPE = "beforeAll" in base ? "worker" : "test";

/** The `test` of vitest: `test("…", async ({ world }) => { … })`. One sandbox with these options serves the tests of a worker. */
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
    // It needs the one that closes it.
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

// experience-sandbox/vitest: a `test` whose context has a world of the test's own.
import { test as base, type TestAPI } from "vitest";
import { type StartOptions, startSandbox } from "../../index.ts";
import { type OwnWorld, ownWorld } from "./own-world.ts";
import { storyOf } from "./story.ts";

/** The `test` of vitest: `test("…", async ({ world }) => { … })`. One sandbox with these options serves the tests of a worker. */
export function sandboxTest(options: StartOptions = {}): TestAPI<OwnWorld> {
  return base.extend<OwnWorld>({
    sandbox: [
      // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs
      async ({}, use) => {
        await using sandbox = await startSandbox(options);
        await use(sandbox);
      },
      { scope: "worker" },
    ],
    world: async ({ sandbox, task }, use) => {
      await using world = await ownWorld(sandbox, options, task.name || "a test without a name");
      await use(world);
      if (task.result?.state === "fail") console.error(await storyOf(world, task.name));
    },
  });
}

export const test = sandboxTest();
export const it = test;

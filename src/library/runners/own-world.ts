// Shared code of the test runners: one sandbox for the tests of a file, and a world for each test.
import { type Sandbox, type StartOptions, startSandbox, type World } from "../../index.ts";
import { describeWorld } from "./story.ts";

/** The context of a test. */
export interface OwnWorld {
  world: World;
  sandbox: Sandbox;
}

/** Creates a world with the webhook subscription of the sandbox. Its log entries have the name of the test. */
export async function createOwnWorld(
  sandbox: Sandbox,
  { webhookUrl, webhookEvents }: StartOptions,
  test: string,
): Promise<World> {
  const world = await sandbox.world({ webhookUrl, webhookEvents });
  await world.mark(test.slice(0, MAX_NAME_LENGTH));
  return world;
}

const MAX_NAME_LENGTH = 500;

/** Prints the report of a test once, while its world exists. */
export type Report = () => Promise<void>;

/** Creates a sandbox that starts with the first test. */
export function createSharedSandbox(options: StartOptions) {
  let started: Promise<Sandbox> | undefined;
  return {
    /** `keepReport` receives the report for a test that fails while its body runs, because of a time limit or a nested test. */
    async run(test: string, body: (own: OwnWorld) => unknown, keepReport?: (report: Report) => unknown): Promise<void> {
      started ??= startSandbox(options);
      const sandbox = await started;
      await using world = await createOwnWorld(sandbox, options, test || "a test without a name");
      let isOpen = true;
      const report = async () => {
        if (!isOpen) return;
        isOpen = false;
        // Jest prints the source position next to output of console, so the report goes to stderr directly.
        process.stderr.write(`${await describeWorld(world, test)}\n`);
      };
      keepReport?.(report);
      try {
        await body({ world, sandbox });
      } catch (reason) {
        await report();
        throw reason;
      } finally {
        isOpen = false;
      }
    },
    async close(): Promise<void> {
      const sandbox = await started?.catch(() => undefined);
      await sandbox?.close();
    },
  };
}

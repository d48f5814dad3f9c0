// What every runner's subpath does: one sandbox for the tests of a file, and for each test a world of its own.
import { type Sandbox, type StartOptions, startSandbox, type World } from "../../index.ts";
import { storyOf } from "./story.ts";

/** What a test gets. */
export interface OwnWorld {
  world: World;
  sandbox: Sandbox;
}

/** What is subscribed with the sandbox is subscribed in each world, whose log names the test. */
export async function ownWorld(
  sandbox: Sandbox,
  { webhookUrl, webhookEvents }: StartOptions,
  test: string,
): Promise<World> {
  const world = await sandbox.world({ webhookUrl, webhookEvents });
  await world.mark(test.slice(0, LONGEST_NAME));
  return world;
}

const LONGEST_NAME = 500;

/** Takes what is to be done when a test is over: before its body is, it has run out of time. */
type AtEnd = (ended: () => Promise<void>) => void;

/** The sandbox starts when the first test needs it. */
export function sharedSandbox(options: StartOptions) {
  let started: Promise<Sandbox> | undefined;
  return {
    async run(test: string, body: (own: OwnWorld) => unknown, atEnd: AtEnd = () => undefined): Promise<void> {
      started ??= startSandbox(options);
      const sandbox = await started;
      await using world = await ownWorld(sandbox, options, test || "a test without a name");
      let isOpen = true;
      const failed = async () => {
        if (!isOpen) return;
        isOpen = false;
        // Not by the console, beside whose lines jest prints the code that wrote them.
        process.stderr.write(`${await storyOf(world, test)}\n`);
      };
      atEnd(failed);
      try {
        await body({ world, sandbox });
      } catch (reason) {
        await failed();
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

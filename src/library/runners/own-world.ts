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

interface Ending {
  /** Takes what prints the story, once and as long as the world is there: for a test that fails by something else than its body. */
  story?(print: () => Promise<void>): void;
  /** One that passes where its body throws. */
  isReversed?: boolean;
}

/** The sandbox starts when the first test needs it. */
export function sharedSandbox(options: StartOptions) {
  let started: Promise<Sandbox> | undefined;
  return {
    async run(test: string, body: (own: OwnWorld) => unknown, { story, isReversed }: Ending = {}): Promise<void> {
      started ??= startSandbox(options);
      const sandbox = await started;
      await using world = await ownWorld(sandbox, options, test || "a test without a name");
      let isOpen = true;
      const print = async () => {
        if (!isOpen) return;
        isOpen = false;
        // Not by the console, beside whose lines jest prints the code that wrote them.
        process.stderr.write(`${await storyOf(world, test)}\n`);
      };
      story?.(print);
      try {
        await body({ world, sandbox });
      } catch (reason) {
        if (!isReversed) await print();
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

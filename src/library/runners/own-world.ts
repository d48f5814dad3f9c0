// What every runner's subpath does: one sandbox for the tests of a file, and for each test a world of its own.
import { type Sandbox, type StartOptions, startSandbox, type World } from "../../index.ts";
import { describeWorld } from "./story.ts";

/** What a test gets. */
export interface OwnWorld {
  world: World;
  sandbox: Sandbox;
}

/** What is subscribed with the sandbox is subscribed in each world, whose log names the test. */
export async function createOwnWorld(
  sandbox: Sandbox,
  { webhookUrl, webhookEvents }: StartOptions,
  test: string,
): Promise<World> {
  const world = await sandbox.world({ webhookUrl, webhookEvents });
  await world.mark(test.slice(0, LONGEST_NAME));
  return world;
}

const LONGEST_NAME = 500;

interface RunOptions {
  /** Takes what prints the story, once and as long as the world is there: for a test that fails by something else than its body. */
  keepPrint?(print: () => Promise<void>): void;
  /** One that passes where its body throws. */
  isReversed?: boolean;
}

/** The sandbox starts when the first test needs it. */
export function createSharedSandbox(options: StartOptions) {
  let started: Promise<Sandbox> | undefined;
  return {
    async run(test: string, body: (own: OwnWorld) => unknown, how: RunOptions = {}): Promise<void> {
      started ??= startSandbox(options);
      const sandbox = await started;
      await using world = await createOwnWorld(sandbox, options, test || "a test without a name");
      let isOpen = true;
      const print = async () => {
        if (!isOpen) return;
        isOpen = false;
        // Not by the console, beside whose lines jest prints the code that wrote them.
        process.stderr.write(`${await describeWorld(world, test)}\n`);
      };
      how.keepPrint?.(print);
      try {
        await body({ world, sandbox });
      } catch (reason) {
        if (!how.isReversed) await print();
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

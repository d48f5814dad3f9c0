// The subpath experience-sandbox/node-test: a `test` that gives each test its own world.
import { after, test as base, type TestContext, type TestOptions } from "node:test";
import type { StartOptions } from "../../index.ts";
import { createSharedSandbox, type OwnWorld } from "./own-world.ts";

type NodeTestBody = (own: OwnWorld, context: TestContext) => unknown;

/** The type of `test("…", async ({ world }) => { … })`, with the options and the variants of node:test. */
interface NodeTest {
  (name: string, body: NodeTestBody): Promise<void>;
  (name: string, options: TestOptions, body: NodeTestBody): Promise<void>;
  only(name: string, body: NodeTestBody): Promise<void>;
  skip(name: string, body: NodeTestBody): Promise<void>;
  todo(name: string, body: NodeTestBody): Promise<void>;
}

/** Creates a `test` with other options. Call it at the top level of a file: its tests share one sandbox, which is closed after them. */
export function sandboxTest(options: StartOptions = {}): NodeTest {
  const shared = createSharedSandbox(options);
  after(() => shared.close());
  const register = (name: string, how: TestOptions, body: NodeTestBody): Promise<void> =>
    base(name, how, (context) => runUntilOver(shared, name, body, context)) as Promise<void>;
  const test = (name: string, ...rest: [NodeTestBody] | [TestOptions, NodeTestBody]): Promise<void> =>
    rest.length === 1 ? register(name, {}, rest[0]) : register(name, ...rest);
  const createVariant = (how: TestOptions) => (name: string, body: NodeTestBody) => register(name, how, body);
  return Object.assign(test, {
    only: createVariant({ only: true }),
    skip: createVariant({ skip: true }),
    todo: createVariant({ todo: true }),
  });
}

/** Keeps the world until the test is over, because a test with a plan can fail after its body. */
function runUntilOver(
  shared: ReturnType<typeof createSharedSandbox>,
  name: string,
  body: NodeTestBody,
  context: TestContext,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let print = async (): Promise<void> => undefined;
    let end = (): void => undefined;
    const isOver = new Promise<void>((ended) => (end = ended));
    let isDone = false;
    const run = shared
      .run(
        name,
        async (own) => {
          await body(own, context);
          isDone = true;
          resolve();
          await isOver;
        },
        {
          keepPrint(printing) {
            print = printing;
          },
        },
      )
      .catch(reject);
    // The promise of a failed subtest does not reject.
    context.afterEach(async (inner) => {
      if ("passed" in inner && !inner.passed) await print();
    });
    context.after(async () => {
      // A test that is not done has timed out.
      if (!isDone || ("passed" in context && context.passed === false)) await print();
      end();
      if (isDone) await run;
    });
  });
}

export const test = sandboxTest();
export const it = test;

export type { NodeTest as SandboxTest };

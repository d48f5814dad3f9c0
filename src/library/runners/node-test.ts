// The subpath experience-sandbox/node-test: a `test` that gives each test its own world.
import { after, test as base, type TestContext, type TestOptions } from "node:test";
import type { StartOptions } from "../../index.ts";
import { createSharedSandbox, type OwnWorld } from "./own-world.ts";

type NodeTestBody = (own: OwnWorld, context: TestContext) => unknown;
type RegisterNamed = (name: string, body: NodeTestBody) => Promise<void>;
type RegisterWithOptions = (name: string, options: TestOptions, body: NodeTestBody) => Promise<void>;

/** The type of `test("…", async ({ world }) => { … })`, with the options and the variants of node:test. */
type NodeTest = RegisterNamed & RegisterWithOptions & Record<"only" | "skip" | "todo", RegisterNamed>;

/** Creates a `test` with other options. Call it at the top level of a file: its tests share one sandbox, which is closed after them. */
export function sandboxTest(options: StartOptions = {}): NodeTest {
  const shared = createSharedSandbox(options);
  after(() => shared.close());
  const register: RegisterWithOptions = (name, how, body) =>
    base(name, how, (context) =>
      shared.run(
        name,
        (own) => body(own, context),
        (report) => {
          // The promise of a failed nested test does not reject.
          context.afterEach(async (inner) => {
            if ("passed" in inner && !inner.passed) await report();
          });
          // A test whose body has not ended has timed out.
          context.after(report);
        },
      ),
    ) as Promise<void>;
  const test = (name: string, ...rest: [NodeTestBody] | [TestOptions, NodeTestBody]): Promise<void> =>
    rest.length === 1 ? register(name, {}, rest[0]) : register(name, ...rest);
  const createVariant =
    (how: TestOptions): RegisterNamed =>
    (name, body) =>
      register(name, how, body);
  return Object.assign(test, {
    only: createVariant({ only: true }),
    skip: createVariant({ skip: true }),
    todo: createVariant({ todo: true }),
  });
}

export const test = sandboxTest();
export const it = test;

export type { NodeTest as SandboxTest };

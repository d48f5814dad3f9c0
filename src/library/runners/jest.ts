// The subpath experience-sandbox/jest: a `test` that gives each test its own world.
import { afterAll, afterEach, test as base, expect } from "@jest/globals";
import type { StartOptions } from "../../index.ts";
import { createSharedSandbox, type OwnWorld } from "./own-world.ts";

type JestBody = (own: OwnWorld) => unknown;

/** The type of `test("…", async ({ world }) => { … })`, with the variants of jest that take a name and a function. */
interface JestTest {
  (name: string, body: JestBody, timeout?: number): void;
  only(name: string, body: JestBody, timeout?: number): void;
  skip(name: string, body: JestBody, timeout?: number): void;
  failing(name: string, body: JestBody, timeout?: number): void;
  concurrent(name: string, body: JestBody, timeout?: number): void;
}

type Print = () => Promise<void>;
type RegisterTest = (name: string, run: () => Promise<void>, timeout?: number) => void;

/** Returns true if jest will fail the test for its number of assertions, which it checks after all hooks. */
function isMiscounted(): boolean {
  const { assertionCalls, expectedAssertionsNumber, isExpectingAssertions } = expect.getState();
  if (isExpectingAssertions && assertionCalls === 0) return true;
  return typeof expectedAssertionsNumber === "number" && expectedAssertionsNumber !== assertionCalls;
}

/** Creates a `test` with other options. Call it at the top level of a file: its tests share one sandbox, which is closed after them. */
export function sandboxTest(options: StartOptions = {}): JestTest {
  const shared = createSharedSandbox(options);
  /** The functions that print reports of started tests. A test whose body has not ended in the hook has timed out. */
  const [alone, concurrent]: [Print[], Print[]] = [[], []];
  const printAll = async (each: Print[]) => {
    for (const print of each.splice(0)) await print();
  };
  afterEach(() => printAll(alone));
  afterAll(async () => {
    // Jest runs no hook after a concurrent test.
    await printAll(concurrent);
    await shared.close();
  });
  const wrapRegister =
    (register: RegisterTest, { isConcurrent = false, isReversed = false } = {}) =>
    (name: string, body: JestBody, timeout?: number): void =>
      register(
        name,
        () => {
          let print: Print = async () => undefined;
          let isLate = false;
          const printLate = async () => {
            isLate = true;
            if (!isReversed) await print();
          };
          const keepPrint = (printing: Print) => {
            print = printing;
            (isConcurrent ? concurrent : alone).push(printLate);
          };
          const runBody = async (own: OwnWorld) => {
            await body(own);
            // Jest counts the assertions of concurrent tests together.
            if (!isLate && (isReversed || (!isConcurrent && isMiscounted()))) await print();
          };
          return shared.run(name, runBody, { keepPrint, isReversed });
        },
        timeout,
      );
  return Object.assign(wrapRegister(base), {
    only: wrapRegister(base.only),
    skip: wrapRegister(base.skip),
    failing: wrapRegister(base.failing, { isReversed: true }),
    concurrent: wrapRegister(base.concurrent, { isConcurrent: true }),
  });
}

export const test = sandboxTest();
export const it = test;

export type { JestTest as SandboxTest };

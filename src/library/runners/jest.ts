// experience-sandbox/jest: a `test` that gives each test a world of its own.
import { afterAll, afterEach, test as base, expect } from "@jest/globals";
import type { StartOptions } from "../../index.ts";
import { createSharedSandbox, type OwnWorld } from "./own-world.ts";

type JestBody = (own: OwnWorld) => unknown;

/** `test("…", async ({ world }) => { … })`, with the variants of jest that take a name and a function. */
interface JestTest {
  (name: string, body: JestBody, timeout?: number): void;
  only(name: string, body: JestBody, timeout?: number): void;
  skip(name: string, body: JestBody, timeout?: number): void;
  failing(name: string, body: JestBody, timeout?: number): void;
  concurrent(name: string, body: JestBody, timeout?: number): void;
}

type Print = () => Promise<void>;
type RegisterTest = (name: string, run: () => Promise<void>, timeout?: number) => void;

/** Whether jest fails the test for the number of its assertions, which it looks at when all hooks have run. */
function isMiscounted(): boolean {
  const { assertionCalls, expectedAssertionsNumber, isExpectingAssertions } = expect.getState();
  if (isExpectingAssertions && assertionCalls === 0) return true;
  return typeof expectedAssertionsNumber === "number" && expectedAssertionsNumber !== assertionCalls;
}

/** A `test` for other options. Call it at the top of a file: one sandbox with these options serves its tests, and is closed after them. */
export function sandboxTest(options: StartOptions = {}): JestTest {
  const shared = createSharedSandbox(options);
  /** Of tests that have begun, what prints their story: here one whose body is not done has run out of time. */
  const [alone, concurrent]: [Print[], Print[]] = [[], []];
  const printAll = async (each: Print[]) => {
    for (const print of each.splice(0)) await print();
  };
  afterEach(() => printAll(alone));
  afterAll(async () => {
    // For these jest runs no hook when one is over.
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
            // The assertions of those that run at the same time are counted together.
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

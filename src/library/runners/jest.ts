// experience-sandbox/jest: a `test` that gives each test a world of its own.
import { afterAll, test as base } from "@jest/globals";
import type { StartOptions } from "../../index.ts";
import { type OwnWorld, sharedSandbox } from "./own-world.ts";

type JestBody = (own: OwnWorld) => unknown;

/** `test("…", async ({ world }) => { … })`, with the variants of jest that take a name and a function. */
interface JestTest {
  (name: string, body: JestBody, timeout?: number): void;
  only(name: string, body: JestBody, timeout?: number): void;
  skip(name: string, body: JestBody, timeout?: number): void;
  failing(name: string, body: JestBody, timeout?: number): void;
  concurrent(name: string, body: JestBody, timeout?: number): void;
}

/** A `test` for other options. Call it at the top of a file: one sandbox with these options serves its tests, and is closed after them. */
export function sandboxTest(options: StartOptions = {}): JestTest {
  const shared = sharedSandbox(options);
  afterAll(() => shared.close());
  const through =
    (register: (name: string, run: () => Promise<void>, timeout?: number) => void) =>
    (name: string, body: JestBody, timeout?: number): void =>
      register(name, () => shared.run(name, body), timeout);
  return Object.assign(through(base), {
    only: through(base.only),
    skip: through(base.skip),
    failing: through(base.failing),
    concurrent: through(base.concurrent),
  });
}

export const test = sandboxTest();
export const it = test;

export type { JestTest as SandboxTest };

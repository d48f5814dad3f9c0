// experience-sandbox/jest: a `test` that gives each test a world of its own.
import { afterAll, afterEach, test as base } from "@jest/globals";
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
  const atEnd: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const ended of atEnd.splice(0)) await ended();
  });
  afterAll(() => shared.close());
  // Those that run at the same time are not over when another one ends.
  const through =
    (register: (name: string, run: () => Promise<void>, timeout?: number) => void, isAlone = true) =>
    (name: string, body: JestBody, timeout?: number): void =>
      register(name, () => shared.run(name, body, (ended) => void (isAlone && atEnd.push(ended))), timeout);
  return Object.assign(through(base), {
    only: through(base.only),
    skip: through(base.skip),
    failing: through(base.failing),
    concurrent: through(base.concurrent, false),
  });
}

export const test = sandboxTest();
export const it = test;

export type { JestTest as SandboxTest };

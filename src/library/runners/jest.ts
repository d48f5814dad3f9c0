// The subpath experience-sandbox/jest: a `test` that gives each test its own world.
import { afterAll, afterEach, test as base } from "@jest/globals";
import type { StartOptions } from "../../index.ts";
import { createSharedSandbox, type OwnWorld, type Report } from "./own-world.ts";

type RegisterOwn = (name: string, body: (own: OwnWorld) => unknown, timeout?: number) => void;
type RegisterTest = (name: string, run: () => Promise<void>, timeout?: number) => void;

/** The type of `test("…", async ({ world }) => { … })`, with the variants of jest that take a name and a function. */
type JestTest = RegisterOwn & Record<"only" | "skip" | "failing" | "concurrent", RegisterOwn>;

/** Creates a `test` with other options. Call it at the top level of a file: its tests share one sandbox, which is closed after them. */
export function sandboxTest(options: StartOptions = {}): JestTest {
  const shared = createSharedSandbox(options);
  const [alone, concurrent]: [Report[], Report[]] = [[], []];
  /** A test whose body has not ended in the hook has timed out. */
  const printAll = async (reports: Report[]) => {
    for (const report of reports.splice(0)) await report();
  };
  afterEach(() => printAll(alone));
  afterAll(async () => {
    // Jest runs no hook after a concurrent test.
    await printAll(concurrent);
    await shared.close();
  });
  const wrapRegister =
    (register: RegisterTest, reports = alone): RegisterOwn =>
    (name, body, timeout) =>
      register(name, () => shared.run(name, body, (report) => reports.push(report)), timeout);
  return Object.assign(wrapRegister(base), {
    only: wrapRegister(base.only),
    skip: wrapRegister(base.skip),
    failing: wrapRegister(base.failing),
    concurrent: wrapRegister(base.concurrent, concurrent),
  });
}

export const test = sandboxTest();
export const it = test;

export type { JestTest as SandboxTest };

// The package without the driver of PostgreSQL: --database explains how to install it, and everything else works.
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startProgram } from "./run-sandbox.ts";

let alone: string;
beforeAll(() => {
  alone = mkdtempSync(join(tmpdir(), "sandbox-alone-"));
  for (const part of ["bin", "dist", "fixtures", "package.json"]) cpSync(part, join(alone, part), { recursive: true });
});
afterAll(() => rmSync(alone, { recursive: true, force: true }));

const run = (...args: string[]) => startProgram(process.execPath, [join(alone, "bin/sandbox.js"), ...args]).ended;

it("--database without the driver explains how to install it", async () => {
  const start = ["start", "--database", "postgres://sandbox@127.0.0.1:1/sandbox"];
  const sentence =
    "--database needs the package pg, the driver of PostgreSQL, which is not installed here. Install it with `npm install pg`.";
  expect(await run(...start)).toMatchObject({ code: 1, stdout: "", stderr: `${sentence}\n` });
  const { code, stdout } = await run(...start, "--json");
  expect([code, JSON.parse(stdout)]).toEqual([1, { error: { code: "FAILED", message: sentence } }]);
});

// The package without the driver of PostgreSQL: --database explains how to install it, and everything else works.
import { cpSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { makeTempFolder } from "../temp-folder.ts";
import { startProgram } from "./run-sandbox.ts";

let alone: string;
beforeAll(() => {
  alone = makeTempFolder();
  for (const part of ["bin", "dist", "fixtures", "package.json"]) cpSync(part, join(alone, part), { recursive: true });
});

const run = (...args: string[]) => startProgram(process.execPath, [join(alone, "bin/sandbox.js"), ...args]).ended;

it("--database without the driver explains how to install it", async () => {
  const start = ["start", "--database", "postgres://sandbox@127.0.0.1:1/sandbox"];
  const sentence =
    "--database needs the package pg, the driver of PostgreSQL, which is not installed here. Install it with `npm install pg`.";
  expect(await run(...start)).toMatchObject({ code: 1, stdout: "", stderr: `${sentence}\n` });
  const { code, stdout } = await run(...start, "--json");
  expect([code, JSON.parse(stdout)]).toEqual([1, { error: { code: "FAILED", message: sentence } }]);
});

// The subpaths for test runners, by running the sample projects of test/examples with what is built in "dist/". jest is not installed
// here: `npm run test:examples` runs its project.
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const RUNNERS: [name: string, command: string[]][] = [
  ["vitest", [vitest, "run"]],
  ["node-test", ["--test"]],
];

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "runners-"));
  for (const [name] of RUNNERS) {
    cpSync(join(root, "test/examples", name), join(folder, name), { recursive: true });
    const modules = join(folder, name, "node_modules");
    mkdirSync(modules);
    symlinkSync(root, join(modules, "experience-sandbox"), "junction");
    symlinkSync(join(root, "node_modules/vitest"), join(modules, "vitest"), "junction");
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The variables of this runner must not reach the one that is tested. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(SANDBOX_|VITEST|NODE_TEST_CONTEXT|NODE_OPTIONS)/.test(name)),
);

function run(name: string, args: readonly string[]): Promise<{ failed: boolean; said: string }> {
  return new Promise((resolve) => {
    const options = { cwd: join(folder, name), env: { ...env, NO_COLOR: "1" }, timeout: 200_000 };
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      resolve({ failed: error !== null, said: stdout + stderr }),
    );
  });
}

describe("A test runner's subpath", () => {
  it.each(RUNNERS)("gives each test of %s a world, and tells of that of a failed one only", async (name, command) => {
    const { failed, said } = await run(name, [...command, "shop.test.js", "failing.test.js"]);
    expect([failed, said]).toEqual([true, expect.stringMatching(/pass 5|5 passed/)]);
    expect(said).toMatch(/fail 1|1 failed/);
    expect(said).toContain("What happened in the world of “does not know why it fails”:");
    expect(said).toContain("POST /v1/bookings → 400 EVENT_NOT_FOUND: body.event_id: there is no event evt-nowhere.");
    expect(said).toContain("EVENT_NOT_FOUND looked at: no event has the id evt-nowhere");
    expect(said).toMatch(/v1\.booking\.cancelled to http:\/\/127\.0\.0\.1:9\/hook → PENDING, \d attempts?/);
    expect(said.match(/What happened in the world/g)).toHaveLength(1);
  });
});

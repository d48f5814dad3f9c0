// A server that was started with other flags of V8 put what it had compiled in the place of what every start reads: each start after it
// took 50 ms longer. Each kind of V8 keeps a file of its own, and only a server does, since other commands compile little of it.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, vi } from "vitest";
import { bin, startProgram } from "../cli/run-sandbox.ts";

const dist = fileURLToPath(new URL("../../dist", import.meta.url));
const retained = () => readdirSync(dist).filter((name) => /^\.cli-.*\.cache$/.test(name));
/** It changes what V8 compiles, on every line of Node; no other test starts one with it. */
const FLAG = "--allow-natives-syntax";
const start = ["start", "--memory", "--port", "0", "--quiet"];

it("A server with flags of its own leaves the others' compiled code as it is", async () => {
  const before = retained();
  const isOwn = (name: string) => !before.includes(name);
  const own = startProgram(process.execPath, [FLAG, bin, ...start]);
  await vi.waitFor(() => expect(retained().filter(isOwn)).toHaveLength(1), { timeout: 30_000 });
  own.child.kill("SIGTERM");
  await own.ended;
  expect(retained()).toEqual(expect.arrayContaining(before));
  for (const name of retained().filter(isOwn)) rmSync(join(dist, name));
});

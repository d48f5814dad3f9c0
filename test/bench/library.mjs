// The library in a fresh process and in a warm one: a sandbox, a further world with its token, a fork and a reset.
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { CLOCK } from "./sandboxes.mjs";
import { median } from "./servers.mjs";

async function measureTime(times, work) {
  const startedAt = performance.now();
  const result = await work();
  times.push(performance.now() - startedAt);
  return result;
}

/** Starts a process that measures itself from before the import on. */
function measureFreshProcess({ root }, request) {
  const program = `const startedAt = performance.now();
    const { startSandbox } = await import(${JSON.stringify(join(root, "dist/index.mjs"))});
    const sandbox = await startSandbox();
    let ms = performance.now() - startedAt;
    ${request}
    console.log(ms);
    await sandbox.close();`;
  return Number(execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" }));
}

const FIRST_REJECTION = `const world = await sandbox.world();
    const headers = { authorization: "Bearer " + (await world.token()), "content-type": "application/json" };
    const sentAt = performance.now();
    const response = await fetch(sandbox.url + "/v1/bookings", { method: "POST", headers, body: "{}" });
    await response.text();
    ms = performance.now() - sentAt;`;

export async function measureLibrary(bench) {
  const { startSandbox } = createRequire(import.meta.url)(join(bench.root, "dist/index.cjs"));
  const sandbox = await startSandbox({ clock: CLOCK });
  const [worlds, forks, resets] = [[], [], []];
  for (let round = 0; round < (bench.quick ? 9 : 31); round++) {
    const world = await measureTime(worlds, async () => {
      const created = await sandbox.world();
      await created.token();
      return created;
    });
    const copy = await measureTime(forks, () => world.fork());
    await measureTime(resets, () => world.reset());
    await copy.remove();
    await world.remove();
  }
  await sandbox.close();
  const addRow = (title, times, bound) => {
    const ours = median(times);
    bench.addRow(title, { ours, unit: " ms", goals: [{ value: ours, sign: "≤", bound }] });
  };
  const repeat = (request) => Array.from({ length: bench.starts }, () => measureFreshProcess(bench, request));
  const isNode20 = process.version.startsWith("v20.");
  addRow("`import` and `startSandbox()` in a fresh process", repeat(""), isNode20 ? 250 : 150);
  addRow("the first rejected request of that process", repeat(FIRST_REJECTION), 300);
  addRow("a further world with its token", worlds, 4);
  addRow("fork of `harbour-tours`", forks, 5);
  addRow("reset of `harbour-tours`", resets, 5);
}

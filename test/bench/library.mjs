// The library in a fresh process, and in one that has run it before: a sandbox, a further world, a copy, a reset; and what a suite of
// 200 tests with a world each spends on them.
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { CLOCK } from "./sandboxes.mjs";
import { median } from "./servers.mjs";

async function timed(times, work) {
  times.push(performance.now());
  const made = await work();
  times.push(performance.now() - times.pop());
  return made;
}

/** Of a process of its own, from before the import. */
function fresh({ root }) {
  const program = `const began = performance.now();
    const { startSandbox } = await import(${JSON.stringify(join(root, "dist/index.mjs"))});
    const sandbox = await startSandbox();
    console.log(performance.now() - began);
    await sandbox.close();`;
  return Number(execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" }));
}

/** As 200 tests would: each makes a world, takes a token, and removes the world. */
async function suite(sandbox) {
  for (let test = 0; test < 200; test++) {
    const world = await sandbox.world();
    await world.token();
    await world.remove();
  }
}

export async function library(bench) {
  const { startSandbox } = createRequire(import.meta.url)(join(bench.root, "dist/index.cjs"));
  const options = { clock: CLOCK };
  const first = await startSandbox(options);
  await first.world();
  const [starts, worlds, forks, resets] = [[], [], [], []];
  for (let round = 0; round < (bench.quick ? 9 : 31); round++) {
    const sandbox = await timed(starts, () => startSandbox(options));
    await sandbox.close();
    const world = await timed(worlds, () => first.world());
    const copy = await timed(forks, () => world.fork());
    await timed(resets, () => world.reset());
    await copy.remove();
    await world.remove();
  }
  const starting = Array.from({ length: bench.quick ? 5 : 11 }, () => fresh(bench));
  const suites = [];
  for (let round = 0; round < 3; round++) await timed(suites, () => suite(first));
  await first.close();
  const isNode20 = process.versions.node.startsWith("20.");
  const row = (what, times, bound) => {
    const ours = median(times);
    bench.row(what, { ours, unit: " ms", goals: bound ? [["", ours, "≤", bound, " ms"]] : [] });
  };
  row("`import` and `startSandbox()` in a fresh process", starting, isNode20 ? 250 : 150);
  row("`startSandbox()` in a warm process", starts);
  row("a further world", worlds, 4);
  row("fork of `harbour-tours`", forks, 5);
  row("reset of `harbour-tours`", resets, 5);
  row("a world and a token for each of 200 tests", suites);
}

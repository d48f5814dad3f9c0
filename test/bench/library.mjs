// The library in a process that has run it before: a sandbox, a further world, a copy, a reset.
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
  await first.close();
  const row = (what, times, bound) => {
    const ours = median(times);
    bench.row(what, { ours, unit: " ms", goals: bound ? [["", ours, "≤", bound, " ms"]] : [] });
  };
  row("`startSandbox()` in a warm process", starts, 30);
  row("a further world", worlds, 5);
  row("fork of `harbour-tours`", forks, 20);
  row("reset of `harbour-tours`", resets);
}

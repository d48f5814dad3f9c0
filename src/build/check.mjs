// npm run check: all static checks, two at a time. A failed check shows its output, and the exit code is 1.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { root, say } from "./changed.mjs";
import { buildSpec } from "./spec.mjs";

const createCommand = (path) => [process.execPath, join(root, "node_modules", path)];
const STATIC = "run --config test/vitest.config.ts --mode static".split(" ");
const documents = ["spec/openapi.yaml", "spec/control.yaml"];

/** The command of each check, the slowest first. */
const CHECKS = {
  "types (tsc)": [...createCommand("typescript/lib/tsc.js"), "--noEmit"],
  "types of the pages (tsc)": [...createCommand("typescript/lib/tsc.js"), "--noEmit", "-p", "src/console"],
  "architecture, patterns and declarations": [...createCommand("vitest/vitest.mjs"), ...STATIC],
  "spec (redocly)": [process.execPath, join(root, "src/build/redocly.mjs"), ...documents],
  "format and lint (biome)": [...createCommand("@biomejs/biome/bin/biome"), "check", "--error-on-warnings", "."],
};

/** Runs a command. A command that can't be started has failed, so the promise never rejects. */
function runCommand([program, ...args]) {
  return new Promise((resolve) => {
    let output = "";
    const child = spawn(program, args, { cwd: root, env: { ...process.env, NO_COLOR: "1" } });
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    child.on("error", (error) => resolve({ ok: false, output: error.message }));
    child.on("close", (code) => resolve({ ok: code === 0, output }));
  });
}

async function checkAll(names) {
  const pending = [...names];
  const failed = [];
  const runPending = async () => {
    for (let name = pending.shift(); name; name = pending.shift()) {
      const start = performance.now();
      const { ok, output } = await runCommand(CHECKS[name]);
      if (!ok) failed.push(name);
      const took = `${((performance.now() - start) / 1000).toFixed(1)} s`;
      console.log(
        ok ? `ok      ${name} (${took})` : `FAILED  ${name} (${took})\n${output.trim().replace(/^/gm, "        ")}`,
      );
    }
  };
  await Promise.all([runPending(), runPending()]);
  return failed;
}

const wanted = process.argv.slice(2);
const names = Object.keys(CHECKS).filter((name) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
try {
  await buildSpec();
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}
const failed = await checkAll(names);
if (failed.length === 0) console.log(`check: all ${names.length} passed`);
else {
  console.log(`check: ${failed.length} of ${names.length} failed: ${failed.join(", ")}`);
  process.exitCode = 1;
}

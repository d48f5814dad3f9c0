// npm run check: all static checks, two at a time. A failed check shows its output, and the exit code is 1.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildSpec } from "./spec.mjs";
import { root, say } from "./step.mjs";

const modules = join(root, "node_modules");
const tsc = [join(modules, "typescript/lib/tsc.js"), "--noEmit"];
const vitest = [join(modules, "vitest/vitest.mjs"), "run", "--config", "test/vitest.config.ts"];

/** The arguments of Node for each check, the slowest first. */
const CHECKS = {
  "types (tsc)": tsc,
  "types of the pages (tsc)": [...tsc, "-p", "src/console"],
  "architecture, patterns and declarations": [...vitest, "--mode", "static"],
  "spec (redocly)": [join(root, "src/build/redocly.mjs"), "spec/openapi.yaml", "spec/control.yaml"],
  "format and lint (biome)": [join(modules, "@biomejs/biome/bin/biome"), "check", "--error-on-warnings", "."],
};
const OPTIONS = { cwd: root, env: { ...process.env, NO_COLOR: "1" }, maxBuffer: 1 << 26 };

async function passesCheck(name) {
  const start = performance.now();
  const output = await promisify(execFile)(process.execPath, CHECKS[name], OPTIONS).then(
    () => undefined,
    ({ stdout, stderr, message }) => `${stdout}${stderr}`.trim() || message,
  );
  const line = `${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`;
  console.log(output === undefined ? `ok      ${line}` : `FAILED  ${line}\n${output.replace(/^/gm, "        ")}`);
  return output === undefined;
}

const wanted = process.argv.slice(2);
const names = Object.keys(CHECKS).filter((name) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
const pending = [...names];
const failed = [];
async function checkPending() {
  for (let name = pending.shift(); name; name = pending.shift()) if (!(await passesCheck(name))) failed.push(name);
}

try {
  await buildSpec();
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}
await Promise.all([checkPending(), checkPending()]);
if (failed.length > 0) process.exitCode = 1;
const summary = failed.length === 0 ? "passed" : `failed: ${failed.join(", ")}`;
console.log(`check: ${failed.length === 0 ? "all" : `${failed.length} of`} ${names.length} ${summary}`);

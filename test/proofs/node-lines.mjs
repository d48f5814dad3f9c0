// Proves the supported lines of Node: the tests of HTTP, processes and the library on each, and with --whole the whole suite on the newest.
// This script runs on the oldest line, which `npm test` proves. Each line comes from the registry, as `node@<line>`.
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "../../src/build/step.mjs";

const NEWEST = "26";
const BETWEEN = ["22", "24"];
/** What depends on Node itself: its HTTP server, its processes and files, both ways to load the library. */
const SMOKE = [
  "test/cli/processes",
  "test/durability/disk",
  "test/durability/fsync",
  "test/durability/kill.test",
  "test/durability/shutdown",
  "test/engine/http/slow-clients",
  "test/engine/world/store.test",
  "test/library/",
];
/** On the newest line also what is built on that: between it and the oldest nothing is new. */
const ON_NEWEST = [
  "test/durability/",
  "test/engine/http/gotchas",
  "test/engine/http/token",
  "test/engine/operations/bookings.test",
];

function nodeOf(line) {
  const args = ["-y", "-p", `node@${line}`, "node", "-p", "process.execPath"];
  return execFileSync("npx", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}

function prove(line, tests) {
  const start = performance.now();
  const node = nodeOf(line);
  const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
  const args = [join(root, "node_modules/vitest/vitest.mjs"), "run", "--config", "test/vitest.config.ts", ...tests];
  const options = { cwd: root, encoding: "utf8", env: { ...process.env, NO_COLOR: "1" }, maxBuffer: 1 << 26 };
  const { status, stdout, stderr } = spawnSync(node, [...args, "--reporter=dot"], options);
  const took = `${((performance.now() - start) / 1000).toFixed(0)} s`;
  const count = /Tests .*?(\d+) passed/.exec(stdout)?.[1] ?? "no";
  const what = tests.length > 0 ? "what depends on Node" : "the whole suite";
  console.log(`${status === 0 ? "ok     " : "FAILED "} ${version}: ${what}, ${count} tests passed (${took})`);
  if (status !== 0) console.log(`${stdout}\n${stderr}`.trim().replace(/^/gm, "        "));
  return status === 0;
}

const wanted = process.argv.slice(2).filter((word) => word !== "--whole");
const isWhole = process.argv.includes("--whole");
const lines = [...BETWEEN, NEWEST].filter((line) => wanted.length === 0 || wanted.includes(line));
const held = lines.map((line) => {
  try {
    if (line !== NEWEST) return prove(line, SMOKE);
    return prove(line, isWhole ? [] : [...SMOKE, ...ON_NEWEST]);
  } catch (error) {
    console.log(`FAILED  Node ${line} could not be installed from the registry: ${error.message.split("\n")[0]}`);
    return false;
  }
});
process.exit(held.every(Boolean) ? 0 : 1);

// Proves that the compiled code of one release of Node does no harm to another release of its line: the two may share a checkout, a
// node_modules or a CI cache. Each command runs with the compiled code of the other release, in both directions.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { root } from "../../src/build/changed.mjs";

const PACKAGE = ["bin", "dist", "spec", "fixtures", "scenarios", "package.json"];
const COMMANDS = [["--version"], ["--help"], ["start", "--help"], ["validate", "fixtures/harbour-tours"]];
const START = ["start", "--memory", "--port", "0", "--json"];
const PATIENCE_MS = 30_000;

/** Throws at the first command that fails. */
export async function proveCompiledCode(nodes) {
  const home = mkdtempSync(join(tmpdir(), "compiled-"));
  try {
    for (const name of PACKAGE) cpSync(join(root, name), join(home, name), { recursive: true });
    for (const writer of nodes)
      for (const reader of nodes.filter((node) => node !== writer)) {
        for (const name of retained(home)) rmSync(join(home, "dist", name));
        await serve(home, writer, () => retained(home).length === 1);
        for (const words of COMMANDS) run(home, reader, words);
        await serve(home, reader, () => retained(home).length === 2);
        for (const node of nodes) for (const words of COMMANDS) run(home, node, words);
      }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const retained = (home) => readdirSync(join(home, "dist")).filter((name) => /^\.cli-.*\.cache$/.test(name));

function run(home, node, words) {
  const { status, signal, stderr } = spawnSync(node, [join(home, "bin/sandbox.js"), ...words], {
    cwd: home,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${node}: ${words.join(" ")} ended with ${signal ?? status}. ${stderr}`);
}

/** Waits until it has saved its compiled code. */
async function serve(home, node, isDone) {
  const child = spawn(node, [join(home, "bin/sandbox.js"), ...START], { stdio: "ignore" });
  const ended = once(child, "exit");
  const until = Date.now() + PATIENCE_MS;
  while (!isDone() && child.exitCode === null && child.signalCode === null && Date.now() < until) await pause(50);
  child.kill("SIGTERM");
  const [code, signal] = await ended;
  if (code !== 0) throw new Error(`${node}: start ended with ${signal ?? code}`);
  if (!isDone()) throw new Error(`${node}: start saved no compiled code within ${PATIENCE_MS / 1000} s`);
}

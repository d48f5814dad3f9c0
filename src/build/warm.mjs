// Lets V8 save its compiled code of the program for this Node, as every server does after two seconds (bin/code-cache.cjs): starts the built
// sandbox, waits for the file, and stops it. Only the time of the next start depends on it, so a failure is ignored.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { root } from "./changed.mjs";

const PATIENCE_MS = 15_000;

/** The rest of the name follows from the flags that bin/sandbox.js sets. */
const mine = `.cli-${[process.version, process.platform, process.arch].join("-")}-`;
const isCached = () => readdirSync(join(root, "dist")).some((name) => name.startsWith(mine) && name.endsWith(".cache"));

export async function keepCompiled() {
  if (isCached()) return;
  const args = [join(root, "bin/sandbox.js"), "start", "--memory", "--port", "0", "--quiet"];
  const child = spawn(process.execPath, args, { stdio: "ignore", env: withoutOurs() });
  const ended = once(child, "exit");
  const until = Date.now() + PATIENCE_MS;
  while (!isCached() && child.exitCode === null && Date.now() < until) await pause(50);
  child.kill("SIGTERM");
  await ended;
}

/** The environment of a build must not configure the sandbox. */
function withoutOurs() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(SANDBOX_|NODE_OPTIONS)/.test(name)));
}

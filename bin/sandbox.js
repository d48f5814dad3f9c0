#!/usr/bin/env node
// Starts the built command line, or says in one line why it cannot.
import { existsSync } from "node:fs";
import module, { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const [major, minor] = process.versions.node.split(".").map(Number);
const cli = fileURLToPath(new URL("../dist/cli.cjs", import.meta.url));

if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`experience-sandbox needs Node 20.19 or newer; this is ${process.version}.`);
  process.exitCode = 1;
} else if (!existsSync(cli)) {
  const folder = fileURLToPath(new URL("..", import.meta.url));
  console.error(`experience-sandbox is not built: run \`npm ci\` (or \`npm run build\`) in ${folder} first.`);
  process.exitCode = 1;
} else {
  module.enableCompileCache?.();
  createRequire(import.meta.url)(cli);
}

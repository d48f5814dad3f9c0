#!/usr/bin/env node
// Runs dist/cli.cjs, or says why it can't. No ES module, which package.json beside it says: Node takes a twentieth of a start longer for one.
const { existsSync } = require("node:fs");
const { enableCompileCache } = require("node:module");
const { join } = require("node:path");

const folder = join(__dirname, "..");
const file = join(folder, "dist", "cli.cjs");
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

function stop(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

if (major < 20 || (major === 20 && minor < 19))
  stop(`experience-sandbox needs Node.js 20.19 or newer; this is ${process.versions.node}. Install a newer one.`);
if (!existsSync(file))
  stop(`experience-sandbox is not built: run \`npm ci\` (or \`npm run build\`) in ${folder} first.`);

// Node 22.1 and newer keep compiled code for the next run, in a folder that NODE_COMPILE_CACHE can name.
enableCompileCache?.();
require(file);

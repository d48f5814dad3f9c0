#!/usr/bin/env node
// Runs dist/cli.cjs, with the machine code that V8 kept of an earlier run: half of a cold start is compiling otherwise.
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cachedDataVersionTag } from "node:v8";
import { Script } from "node:vm";

const folder = join(dirname(fileURLToPath(import.meta.url)), "..");
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

// One file per build of the program, which is told by its time, and per V8, with its version, flags and processor; a folder that can't be
// written to costs only the gain.
const source = readFileSync(file, "utf8");
const build = Math.round(statSync(file).mtimeMs).toString(36);
const kept = join(folder, "dist", `.cli-${build}-${cachedDataVersionTag().toString(36)}.cache`);
const cachedData = existsSync(kept) ? readFileSync(kept) : undefined;
const script = new Script(`(function (exports, require, module, __filename, __dirname) { ${source}\n})`, {
  filename: file,
  cachedData,
});

function keep() {
  try {
    writeFileSync(`${kept}.${process.pid}`, script.createCachedData());
    renameSync(`${kept}.${process.pid}`, kept);
  } catch {}
}

// Only a server that has stood for a while has compiled what is worth keeping, and other commands hold little of it.
const isServer = process.argv[2] === "start";
if (isServer && (!cachedData || script.cachedDataRejected)) setTimeout(keep, 2000).unref();
const module = { exports: {} };
script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file));

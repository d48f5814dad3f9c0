#!/usr/bin/env node
// Runs dist/cli.cjs, with the machine code that V8 kept of an earlier run: half of a cold start is compiling otherwise.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cachedDataVersionTag } from "node:v8";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";

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

// One file per Node, processor and flags of V8. V8 itself takes what another release of its line has written, or what was damaged since,
// and the process crashes: so the name tells them apart, and checksums of the program and of the code stand before the code.
const kind = [process.version, process.platform, process.arch, cachedDataVersionTag().toString(36)].join("-");
const kept = join(folder, "dist", `.cli-${kind}.cache`);
const HEAD = 8;
const source = readFileSync(file);

/** What V8 kept of this very program, or nothing: then it compiles. */
function readKept() {
  try {
    const bytes = readFileSync(kept);
    const code = bytes.subarray(HEAD);
    return bytes.subarray(0, HEAD).equals(head(code)) ? code : undefined;
  } catch {}
}

/** Beside and renamed, so that nobody reads half of it; a folder that can't be written to costs only the gain. */
function keep() {
  const draft = `${kept}.${process.pid}`;
  try {
    const code = script.createCachedData();
    writeFileSync(draft, Buffer.concat([head(code), code]));
    renameSync(draft, kept);
  } catch {
    rmSync(draft, { force: true });
  }
}

function head(code) {
  const bytes = Buffer.alloc(HEAD);
  bytes.writeUInt32LE(crc32(source), 0);
  bytes.writeUInt32LE(crc32(code), 4);
  return bytes;
}

const cachedData = readKept();
const script = new Script(`(function (exports, require, module, __filename, __dirname) { ${source}\n})`, {
  filename: file,
  cachedData,
});

// Only a server that has stood for a while has compiled what is worth keeping, and other commands hold little of it.
const isServer = process.argv[2] === "start";
if (isServer && (!cachedData || script.cachedDataRejected)) setTimeout(keep, 2000).unref();
const module = { exports: {} };
script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file));

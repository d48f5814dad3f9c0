#!/usr/bin/env node
// Runs dist/cli.cjs, with the machine code that V8 kept of an earlier run: half of a cold start is compiling otherwise.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cachedDataVersionTag, setFlagsFromString } from "node:v8";
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

// V8 lets a heap grow to four times what is alive before it clears it. Cleared sooner, a server that has made thousands of bookings takes a
// sixth less memory.
// Before anything is compiled: what V8 keeps is good for the same flags only.
setFlagsFromString("--heap-growing-percent=30");

// One file per Node, processor and flags of V8. V8 itself takes what another release of its line has written, or what was damaged since,
// and the process crashes: so the name tells them apart, and checksums of the program and of the code stand before the code.
const kind = [process.version, process.platform, process.arch, cachedDataVersionTag().toString(36)].join("-");
const kept = join(folder, "dist", `.cli-${kind}.cache`);
const HEAD = 8;

/** What V8 kept of this very program, or nothing: then it compiles. */
function readKept(source) {
  try {
    const bytes = readFileSync(kept);
    const code = bytes.subarray(HEAD);
    return bytes.subarray(0, HEAD).equals(head(source, code)) ? code : undefined;
  } catch {}
}

/** Beside and renamed, so that nobody reads half of it; a folder that can't be written to costs only the gain. */
function keep(source, script) {
  const draft = `${kept}.${process.pid}`;
  try {
    const code = script.createCachedData();
    writeFileSync(draft, Buffer.concat([head(source, code), code]));
    renameSync(draft, kept);
  } catch {
    rmSync(draft, { force: true });
  }
}

function head(source, code) {
  const bytes = Buffer.alloc(HEAD);
  bytes.writeUInt32LE(crc32(source), 0);
  bytes.writeUInt32LE(crc32(code), 4);
  return bytes;
}

/** In a function, so that the texts are given back once they are read. */
function load() {
  const source = readFileSync(file);
  const cachedData = readKept(source);
  // The build writes ASCII only, which V8 holds in one byte a character.
  const text = `(function (exports, require, module, __filename, __dirname) { ${source.latin1Slice()}\n})`;
  const script = new Script(text, { filename: file, cachedData });
  // Only a server that has stood for a while has compiled what is worth keeping, and other commands hold little of it.
  const isServer = process.argv[2] === "start";
  if (isServer && (!cachedData || script.cachedDataRejected)) setTimeout(keep, 2000, source, script).unref();
  return script.runInThisContext();
}

const module = { exports: {} };
load()(module.exports, createRequire(file), module, file, dirname(file));

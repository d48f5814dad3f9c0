// Loads a program of dist/ with the machine code that V8 kept of an earlier run: compiling is half of a cold start otherwise. What a
// program loads late from dist/ is loaded in the same way.
const { readFileSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { basename, dirname, join } = require("node:path");
const { cachedDataVersionTag } = require("node:v8");
const { Script } = require("node:vm");
const { crc32 } = require("node:zlib");

const OPENING = Buffer.from("(function (exports, require, module, __filename, __dirname) { ");
const CLOSING = Buffer.from("\n})");
const HEAD = 8;
const SOON_MS = 2000;

// One file per Node, processor and flags of V8. V8 itself takes what another release of its line has written, or what was damaged since,
// and the process crashes: so the name tells them apart, and checksums of the program and of the code stand before the code.
const kind = [process.version, process.platform, process.arch, cachedDataVersionTag().toString(36)].join("-");

/** Files already loaded → what they export. */
const loaded = new Map();
/** What was compiled here, until its code is kept: by file. */
const compiled = new Map();
let isKeeping = false;

exports.load = load;
exports.keepCode = keepCode;
exports.hasCompiled = () => compiled.size > 0;

function load(file) {
  const known = loaded.get(file);
  if (known) return known.exports;
  const run = program(file);
  const module = { exports: {} };
  loaded.set(file, module);
  const require = createRequire(file);
  run(module.exports, besides(require, dirname(file)), module, file, dirname(file));
  return module.exports;
}

/** In a function, so that the texts are given back once they are read. */
function program(file) {
  const source = readFileSync(file);
  const cachedData = readKept(file, source);
  // The build writes ASCII only, which V8 holds in one byte a character. Put together as bytes: of a text that is put together V8 makes
  // a copy in its heap, and holds both.
  const text = Buffer.concat([OPENING, source, CLOSING]).latin1Slice();
  const script = new Script(text, { filename: file, cachedData });
  if (!cachedData || script.cachedDataRejected) {
    compiled.set(file, script);
    if (isKeeping) soon();
  }
  return script.runInThisContext();
}

/** The `require` of a program, for which the build has put what it loads late into files beside it. */
function besides(require, folder) {
  const own = (name) => (/^\.\/[\w-]+\.cjs$/.test(name) ? load(join(folder, name)) : require(name));
  return Object.assign(own, { resolve: require.resolve, cache: require.cache });
}

/**
 * From now on, writes down what is compiled: after a while, since a program that ends before has compiled little of what it holds. One
 * that does all its work in less asks to have it written at its end.
 */
function keepCode({ atEnd = false } = {}) {
  if (isKeeping) return;
  isKeeping = true;
  if (compiled.size > 0) soon();
  if (atEnd) process.once("exit", keepAll);
}

const soon = () => setTimeout(keepAll, SOON_MS).unref();

function keepAll() {
  for (const [file, script] of compiled) keep(file, script);
  compiled.clear();
}

const placeFor = (file) => join(dirname(file), `.${basename(file, ".cjs")}-${kind}.cache`);

/** What V8 kept of this very program, or nothing: then it compiles. */
function readKept(file, source) {
  try {
    const bytes = readFileSync(placeFor(file));
    const code = bytes.subarray(HEAD);
    return bytes.subarray(0, HEAD).equals(head(source, code)) ? code : undefined;
  } catch {}
}

/** Beside and renamed, so that nobody reads half of it; a folder that can't be written to costs only the gain. */
function keep(file, script) {
  const draft = `${placeFor(file)}.${process.pid}`;
  try {
    const code = script.createCachedData();
    writeFileSync(draft, Buffer.concat([head(readFileSync(file), code), code]));
    renameSync(draft, placeFor(file));
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

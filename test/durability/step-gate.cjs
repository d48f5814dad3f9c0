// Loaded before a sandbox in a process of its own: gives each thing that it does to its files a name, writes the names to the file
// STEPS_DONE, and at the step that the file STEP_GATE asks for ends the process as `kill -9` would, or lets the disk be full until that
// file is gone. The gate is JSON: `step`, `having` (a part of what is written), `skip` (so many first), and `how`: before, half, after, full.
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");

const { STEP_GATE: gate, STEPS_DONE: done } = process.env;
const real = { ...fs };
const paths = new Map();
let passed = 0;
let full = false;

function requested() {
  try {
    return JSON.parse(real.readFileSync(gate, "utf8"));
  } catch {
    passed = 0;
    full = false;
    return undefined;
  }
}

const isLog = (path) => /\.journal\.\d+$/.test(path);
const fileOf = (path) =>
  path.endsWith(".tmp") ? "draft" : isLog(path) ? "log" : /\.snapshot\.\d+$/.test(path) ? "snapshot" : undefined;

/** The kind of a record is the first key of its JSON; the mark behind the last record is none. */
function written(path, bytes) {
  if (!isLog(path)) return undefined;
  const kind = /^[0-9a-f]{8} \d+ \{"(\w+)"/.exec(bytes.toString("latin1", 0, 60))?.[1];
  if (kind === undefined) return "end mark: write";
  return { journal: "new log: first record", next: "old log: last record" }[kind] ?? `record: ${kind}`;
}

function say(file, text) {
  const fd = real.openSync(file, "a");
  real.writeSync(fd, text);
  real.closeSync(fd);
}

function die(step) {
  say(`${gate}.hit`, `${step}\n`);
  process.kill(process.pid, "SIGKILL");
}

/** These need no room: their bytes are on the disk already, or were given their place when they were written. */
const ROOMLESS = ["end mark: write", "data file: mark", "log: sync", "folder: sync"];
const noRoom = () => Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });

/** What is to be done at this step; undefined where it is to be let through. */
function met(step, text = "") {
  if (!step) return undefined;
  if (done) say(done, `${step}\n`);
  const wanted = requested();
  if (!wanted) return undefined;
  if (full) return ROOMLESS.includes(step) ? undefined : "full";
  if (wanted.step !== step || !text.includes(wanted.having ?? "") || passed++ < (wanted.skip ?? 0)) return undefined;
  if (wanted.how !== "full") return wanted.how;
  full = true;
  say(`${gate}.hit`, `${step}\n`);
  return "full";
}

function sync(object, name, stepOf, part) {
  const really = object[name];
  object[name] = function (...args) {
    const step = stepOf.apply(this, args);
    const how = met(step, Buffer.isBuffer(args[1]) ? args[1].toString("latin1") : "");
    if (how === "full" && part === "frees") return really.apply(this, args);
    if ((how === "half" || how === "full") && part === "writes") really.apply(this, args.with(3, args[3] >> 1));
    if (how === "full") throw noRoom();
    if (how === "before" || how === "half") die(step);
    const result = really.apply(this, args);
    if (how === "after") die(step);
    return result;
  };
}

function later(object, name, stepOf, part) {
  const really = object[name];
  object[name] = async function (...args) {
    const step = stepOf.apply(this, args);
    const how = met(step);
    if (how === "full" && part === "frees") return really.apply(this, args);
    if ((how === "half" || how === "full") && part === "writes")
      await really.call(this, Buffer.from(args[0]).subarray(0, args[0].length >> 1));
    if (how === "full") throw noRoom();
    if (how === "before" || how === "half") die(step);
    const result = await really.apply(this, args);
    if (how === "after") die(step);
    return result;
  };
}

sync(fs, "openSync", (path, flags) => (isLog(String(path)) && flags === "w+" ? "new log: open" : undefined));
const { openSync } = fs;
fs.openSync = (path, ...rest) => {
  const fd = openSync(path, ...rest);
  paths.set(fd, String(path));
  return fd;
};
const pathOf = (fd) => paths.get(fd) ?? "";
sync(fs, "writeSync", (fd, bytes) => written(pathOf(fd), bytes), "writes");
sync(fs, "fdatasyncSync", (fd) => (isLog(pathOf(fd)) ? "new log: sync" : undefined));
sync(fs, "ftruncateSync", (fd) => (isLog(pathOf(fd)) ? "log: cut" : undefined), "frees");
const { fdatasync } = fs;
fs.fdatasync = (fd, then) => {
  const how = isLog(pathOf(fd)) ? met("log: sync") : undefined;
  if (how === "full") return then(noRoom());
  if (how === "before" || how === "half") die("log: sync");
  fdatasync(fd, (error) => {
    if (how === "after") die("log: sync");
    then(error);
  });
};
later(fs.promises, "rename", (from) => (fileOf(from) === "draft" ? "draft: rename" : undefined));
later(fs.promises, "rm", (path) => (fileOf(path) ? `${fileOf(path)}: remove` : undefined), "frees");

const handles = new WeakMap();
later(fs.promises, "open", (path, flags) => (fileOf(path) === "draft" && flags === "wx" ? "draft: open" : undefined));
const { open } = fs.promises;
let isGated = false;
fs.promises.open = async (path, ...rest) => {
  const handle = await open(path, ...rest);
  handles.set(handle, path);
  if (!isGated) gateHandles(Object.getPrototypeOf(handle));
  isGated = true;
  return handle;
};

function gateHandles(prototype) {
  const isDraft = (handle) => fileOf(handles.get(handle) ?? "") === "draft";
  const draftOr = (what, otherwise) =>
    function () {
      return isDraft(this) ? `draft: ${what}` : otherwise;
    };
  later(prototype, "appendFile", draftOr("write"), "writes");
  later(prototype, "sync", draftOr("sync", "folder: sync"));
  later(prototype, "write", draftOr("write", "data file: mark"));
}
syncBuiltinESMExports();

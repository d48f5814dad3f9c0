// Loaded before a sandbox in a process of its own: gives each thing that it does to its files a name, and
// at the step that the file STEP_GATE asks for ends the process as `kill -9` would, or lets the disk be full until that
// file is gone. The gate is JSON: `step`, `having` (a part of what is written), `skip` (so many first), and `how`: before, half, after, full.
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");

const { STEP_GATE: gate } = process.env;
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

const isLog = (path) => path.endsWith(".log");
/** Both temporary files have one name: a snapshot is opened with "wx", a new log with "w". */
const flagsOf = new Map();
const draftOf = (fd) => (flagsOf.get(fd) === "wx" ? "snapshot" : "new log");

/** The kind of an entry is its effect. */
function written(fd, bytes) {
  const path = paths.get(fd) ?? "";
  if (path.endsWith(".tmp")) return `${draftOf(fd)}: write`;
  if (!isLog(path)) return undefined;
  const effect = /"effect":"(change|replace|part)"/.exec(bytes.toString("utf8"))?.[1];
  return effect === undefined ? "reads: write" : `entry: ${effect}`;
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
const ROOMLESS = ["log: sync", "folder: sync"];
const noRoom = () => Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });

/** What is to be done at this step; undefined where it is to be let through. */
function met(step, text = "") {
  if (!step) return undefined;
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

sync(fs, "openSync", (path, flags) =>
  String(path).endsWith(".tmp") ? (flags === "wx" ? "snapshot: open" : "new log: open") : undefined,
);
const { openSync } = fs;
fs.openSync = (path, flags, ...rest) => {
  const fd = openSync(path, flags, ...rest);
  paths.set(fd, String(path));
  flagsOf.set(fd, flags);
  return fd;
};
sync(fs, "writeSync", written, "writes");
sync(fs, "ftruncateSync", (fd) => (isLog(paths.get(fd) ?? "") ? "log: cut" : undefined), "frees");
sync(fs, "renameSync", (from, to) =>
  String(from).endsWith(".tmp") ? (isLog(String(to)) ? "new log: rename" : "snapshot: rename") : undefined,
);
const { renameSync } = fs;
fs.renameSync = (from, to) => {
  renameSync(from, to);
  for (const [fd, path] of paths) if (path === String(from)) paths.set(fd, String(to));
};
sync(fs, "fsyncSync", () => "folder: sync");
const { fdatasync } = fs;
fs.fdatasync = (fd, then) => {
  const path = paths.get(fd) ?? "";
  const step = isLog(path) ? "log: sync" : `${draftOf(fd)}: sync`;
  const how = met(step);
  if (how === "full") return then(noRoom());
  if (how === "before" || how === "half") die(step);
  fdatasync(fd, (error) => {
    if (how === "after") die(step);
    then(error);
  });
};
syncBuiltinESMExports();

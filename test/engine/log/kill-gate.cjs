// Loaded before a process of its own: counts whatever it does to files, and kills it before the one that KILL_AT names. Nothing is torn.
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");

let left = Number(process.env.KILL_AT);
const step = () => {
  left -= 1;
  if (left === 0) process.kill(process.pid, "SIGKILL");
};
const gated = (object, names) => {
  for (const name of names) {
    const really = object[name];
    object[name] = function (...args) {
      step();
      return really.apply(this, args);
    };
  }
};

gated(fs, [
  "openSync",
  "writeSync",
  "ftruncateSync",
  "fdatasyncSync",
  "fdatasync",
  "rmSync",
  "renameSync",
  "copyFileSync",
  "writeFileSync",
]);
syncBuiltinESMExports();

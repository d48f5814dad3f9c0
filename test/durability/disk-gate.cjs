// Loaded before the sandbox in a process of its own: a sync waits while the file SYNC_GATE names is there, and fails when it says so.
const fs = require("node:fs");

const gate = process.env.SYNC_GATE;
const really = fs.fdatasync;

fs.fdatasync = function sync(fd, done) {
  if (!fs.existsSync(gate)) return really(fd, done);
  if (fs.readFileSync(gate, "utf8") === "fail")
    return done(Object.assign(new Error("EIO: i/o error"), { code: "EIO" }));
  setTimeout(() => sync(fd, done), 5);
};

// Loaded before the sandbox in a process of its own: a sync waits while the file SYNC_GATE names is there, and fails when it says so.
const fs = require("node:fs");

const gate = process.env.SYNC_GATE;
const really = fs.fdatasync;

/** What the gate says; nothing once it is gone, which may be at any moment. */
function message() {
  try {
    return fs.readFileSync(gate, "utf8");
  } catch {
    return undefined;
  }
}

fs.fdatasync = function sync(fd, done) {
  const says = message();
  if (says === undefined) return really(fd, done);
  if (says === "fail") return done(Object.assign(new Error("EIO: i/o error"), { code: "EIO" }));
  setTimeout(() => sync(fd, done), 5);
};

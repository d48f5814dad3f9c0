// Loaded into a server that is measured: how long one turn of its event loop keeps the processor at most. On SIGUSR2 it begins to count, and on
// the next it prints what it found. Counted is processor time of the main thread, so a busy machine changes nothing: between two turns the
// kernel's own count is read (a tick of 4 ms at the most too little). The loop never sleeps meanwhile, so that each turn is seen.
const { openSync, readSync } = require("node:fs");

const file = openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
const bytes = Buffer.alloc(80);

/** Milliseconds of processor time of this thread since its start. */
function used() {
  const length = readSync(file, bytes, 0, bytes.length, 0);
  return Number.parseInt(bytes.toString("latin1", 0, length), 10) / 1e6;
}

let found;
let before = 0;

function turn() {
  if (!found) return;
  const now = used();
  found.longest = Math.max(found.longest, now - before);
  found.all += now - before;
  before = now;
  setImmediate(turn);
}

process.on("SIGUSR2", () => {
  if (found) {
    process.stdout.write(`${JSON.stringify(found)}\n`);
    found = undefined;
    return;
  }
  found = { longest: 0, all: 0 };
  before = used();
  setImmediate(turn);
});

// What one create costs the processor and the disk, of 60,000 in one process, compactions included: in memory and on disk, in turns, so that
// what the machine does besides happens to both. And how long a compaction keeps others waiting.
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load } from "./load.mjs";
import { CLOCK, furnished, input, JSON_TYPE } from "./sandboxes.mjs";
import { median } from "./servers.mjs";
import { turnsOf } from "./stalls.mjs";

const [MEMORY, DISK, WATCHED] = [4670, 4671, 4672];
/** Creates of one turn: so many are the first ones of a process. */
const TURN = 2000;
const MOST_MS = 20;

export async function creates(bench) {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const data = join(folder, "world.json");
  const started = (port, ...more) =>
    furnished([bench.bin, "start", "--port", port, "--clock", CLOCK, "--json", ...more], port);
  const servers = { memory: await started(MEMORY, "--memory"), disk: await started(DISK, "--data", data) };
  try {
    const all = bench.quick ? 10_000 : 60_000;
    const logged = logOf(folder);
    const written = servers.disk.written();
    const found = { memory: [], disk: [] };
    for (let made = 0; made < all; made += TURN)
      for (const [name, server] of Object.entries(servers)) found[name].push(await costOf(bench, server, TURN));
    tell(bench, found, all, { written: servers.disk.written() - written, logged: logged() });
  } finally {
    await Promise.all(Object.values(servers).map((server) => server.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
  await besideCompaction(bench);
}

const ask = (server) => {
  const headers = { ...server.headers, ...JSON_TYPE };
  return { url: `${server.url}/v1/bookings`, method: "POST", body: input, headers, connections: 50 };
};

/** Milliseconds of the processor for one. */
async function costOf({ peers }, server, amount) {
  const before = server.processorTime();
  await load(peers.autocannon, { ...ask(server), amount });
  return (server.processorTime() - before) / amount;
}

/** The bytes of all logs since then: a log is there for a while after the next one has begun. */
function logOf(folder) {
  const lengths = new Map();
  const look = () => {
    for (const name of readdirSync(folder).filter((each) => each.includes(".journal."))) {
      const { size } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? {};
      if (size !== undefined) lengths.set(name, size);
    }
    return [...lengths.values()].reduce((sum, each) => sum + each, 0);
  };
  const begun = look();
  const timer = setInterval(look, 20).unref();
  return () => {
    clearInterval(timer);
    return look() - begun;
  };
}

function tell({ row }, { memory, disk }, all, { written, logged }) {
  const named = all.toLocaleString("en");
  const mean = (costs) => costs.reduce((sum, each) => sum + each, 0) / costs.length;
  const ms = (what, ours, goals = []) => row(what, { ours, unit: " ms", goals });
  ms(`processor time of a create in memory, of ${named}`, mean(memory));
  const besides = ["of one in memory", mean(disk) / mean(memory), "≤", 1.3, " ×"];
  ms(`processor time of a create on disk (\`os\`), compactions included, of ${named}`, mean(disk), [besides]);
  for (const [where, costs] of Object.entries({ "in memory": memory, "on disk": disk })) {
    const warm = median(costs.slice(Math.floor(costs.length / 2)));
    const goal = ["of the warm ones", costs[0] / warm, "≤", 1.5, " ×"];
    ms(`processor time of a create ${where}, of the first ${TURN.toLocaleString("en")} of a process`, costs[0], [goal]);
  }
  const goals = [["of the log's", written / logged, "≤", 1.6, " ×"]];
  row(`bytes written for a create on disk, of ${named}`, { ours: written / all / 1000, unit: " kB", goals });
}

/** While a compaction writes 10,500 bookings. It is due when most of what the log holds is old: worlds that were reset since. */
async function besideCompaction(bench) {
  if (bench.quick) return;
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const turns = join(bench.root, "test/bench/turns.cjs");
  const words = [bench.bin, "start", "--port", WATCHED, "--clock", CLOCK, "--json", "--data", join(folder, "w.json")];
  const server = await furnished(["--require", turns, ...words], WATCHED);
  // The next log is there from the beginning of a compaction, the last one until its end.
  const logs = () => readdirSync(folder).filter((name) => name.includes(".journal.")).length;
  const make = (amount) => load(bench.peers.autocannon, { ...ask(server), amount, connections: 1 });
  try {
    await load(bench.peers.autocannon, { ...ask(server), amount: 10_500 });
    const measured = turnsOf(server);
    const without = await measured(() => make(500));
    await server.control("POST", "/worlds", { id: "other" });
    while (logs() === 1) await server.control("POST", "/state/reset?world=other");
    const beside = await measured(async () => {
      while (logs() > 1) await make(100);
    });
    const goals = [["", beside.longest, "≤", MOST_MS, " ms"]];
    bench.row("longest turn of the event loop beside a compaction, 1 client", {
      ours: beside.longest,
      unit: " ms",
      goals,
    });
    bench.row("the same without one", { ours: without.longest, unit: " ms" });
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

// What a database costs: a node on PostgreSQL beside one process on a disk that waits for each commit (`--durability fsync`), and beside one
// in memory. In turns of A B B A, so that what the machine does besides happens to both, and each is also compared with itself. Where there
// is no PostgreSQL it is left out.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { bundling } from "../../src/build/bundle.mjs";
import { load } from "./load.mjs";
import { CLOCK, furnished, input, JSON_TYPE } from "./sandboxes.mjs";
import { median, start } from "./servers.mjs";

const [MEMORY, DISK, OWNER, OTHER] = [4610, 4611, 4614, 4615];
const CLIENTS = 50;
export const TOKEN = "control-token-of-the-bench";
/** A pair of the same twice may differ by this much. */
const SAME = 0.15;

/** The same server as the tests start. */
export async function postgresKit(root) {
  const outfile = join(root, "node_modules/.cache/experience-sandbox-bench/postgres-kit.cjs");
  mkdirSync(join(outfile, ".."), { recursive: true });
  const made = await build({ ...bundling, entryPoints: ["test/postgres/postgres-kit.ts"], outfile });
  for (const { path, text } of made.outputFiles) writeFileSync(path, text);
  return createRequire(import.meta.url)(outfile);
}

export async function hosted(bench) {
  const { postgresBin, startPostgres } = await postgresKit(bench.root);
  if (!postgresBin) return;
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const postgres = await startPostgres();
  const servers = [];
  const started = async (port, ...more) => {
    const args = [bench.bin, "start", "--port", port, "--clock", CLOCK, "--json", "--control-token", TOKEN, ...more];
    servers.push(await furnished(args, port, { authorization: `Bearer ${TOKEN}` }));
    return servers.at(-1);
  };
  try {
    const database = await postgres.newDatabase();
    const memory = await started(MEMORY, "--memory");
    const disk = await started(DISK, "--data", join(folder, "world.json"), "--durability", "fsync");
    const owner = await started(OWNER, "--database", database);
    const other = await otherNode(bench, database);
    servers.push(other);
    await compareAll(bench, { memory, disk, owner, other });
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await postgres.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** It owns nothing: the world lives where it was made. */
function otherNode({ bin }, database) {
  const args = [bin, "start", "--port", OTHER, "--json", "--control-token", TOKEN, "--database", database];
  return start(args, OTHER, "/readyz");
}

async function compareAll(bench, { memory, disk, owner, other }) {
  const requested = ({ headers }, port, path, more) => ({
    url: `http://127.0.0.1:${port}${path}`,
    headers: { ...headers, ...JSON_TYPE },
    ...more,
  });
  const create = (server, port) => requested(server, port, "/v1/bookings", { method: "POST", body: input });
  const get = (server, port) => requested(server, port, "/v1/bookings/bkg-evening");
  const side = (ask, ...servers) => ({ ask, servers });
  const pairs = [
    {
      what: "create booking, `--database`",
      beside: "`--durability fsync`",
      ours: side(create(owner, OWNER), owner),
      theirs: side(create(disk, DISK), disk),
      least: 0.7,
      mostTime: 1.2,
    },
    {
      what: "GET one booking, `--database`, at its owner",
      beside: "memory",
      ours: side(get(owner, OWNER), owner),
      theirs: side(get(memory, MEMORY), memory),
      least: 0.9,
      mostTime: 1.2,
    },
    {
      what: "the same through another node",
      beside: "memory",
      ours: side(get(owner, OTHER), owner, other),
      theirs: side(get(memory, MEMORY), memory),
      least: 0.5,
      mostTime: 3.5,
    },
  ];
  for (const pair of pairs) report(bench, pair, await measured(bench, pair));
}

/** Requests a second, and milliseconds of all its processes' time for one request. A number of requests, so that both are as warm. */
async function once({ peers, quick }, { ask, servers }) {
  const time = () => servers.reduce((sum, server) => sum + server.processorTime(), 0);
  const before = time();
  const amount = quick ? 1000 : 5000;
  const { count, duration, errors, statuses } = await load(peers.autocannon, { ...ask, connections: CLIENTS, amount });
  if (errors > 0 || !["200", "201"].includes(statuses))
    throw new Error(`${ask.url} answered ${statuses}, ${errors} errors`);
  return { rps: count / duration, time: (time() - before) / count };
}

async function measured(bench, sides) {
  const rounds = [];
  for (const name of ["theirs", "ours"]) await once(bench, sides[name]);
  for (let round = 0; round < bench.rounds; round++) {
    const found = { ours: [], theirs: [] };
    for (const name of ["theirs", "ours", "ours", "theirs"]) found[name].push(await once(bench, sides[name]));
    rounds.push(found);
  }
  return rounds;
}

function report({ row }, { what, beside, least, mostTime }, rounds) {
  const all = (member) => median(rounds.flatMap(({ ours }) => ours.map((each) => each[member])));
  const sum = (runs, member) => runs.reduce((total, run) => total + run[member], 0);
  const ratio = (member) => median(rounds.map(({ ours, theirs }) => sum(ours, member) / sum(theirs, member)));
  const again = (name, member) => median(rounds.map((round) => round[name][1][member] / round[name][0][member]));
  const off = (member) => Math.max(...["ours", "theirs"].map((name) => Math.abs(again(name, member) - 1)));
  const name = `${what}, ${CLIENTS} clients`;
  row(name, { ours: all("rps"), unit: "/s", goals: [[`of ${beside}`, ratio("rps"), "≥", least, " ×"]] });
  const time = [`of ${beside}`, ratio("time"), "≤", mostTime, " ×"];
  row(`${name}: processor time of the nodes for one`, { ours: all("time"), unit: " ms", goals: [time] });
  row("each beside itself", {
    ours: "",
    goals: [
      ["requests a second off by", off("rps"), "≤", SAME],
      ["processor time off by", off("time"), "≤", SAME],
    ],
  });
}

// How a sandbox on a database grows: the work that one, two and three nodes behind HAProxy do for a processor second of the busiest of them,
// and one node on a database of 50,000 worlds, of which it keeps 500. Where there is no PostgreSQL or HAProxy it is left out.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { Agent, request } from "node:http";
import pg from "pg";
import { postgresKit } from "./hosted.mjs";
import { input, JSON_TYPE, tokenOf } from "./sandboxes.mjs";
import { median, start } from "./servers.mjs";

const [FRONT, ...PORTS] = [4620, 4621, 4622, 4623];
const TOKEN = "control-token-of-the-bench";
const HAPROXY = ["/usr/sbin/haproxy", "/usr/local/sbin/haproxy"].find(existsSync);
/** Fewer than one node keeps open. */
const WORLDS = 300;
/** Requests a second and node: as many for each, and fewer than the machine could answer, so that batches are as large and nobody waits. */
const RATE = 200;
/** Requests a second of all together, however many nodes there are. */
const SAME_RATE = 400;
const MANY = 50_000;
const OPEN = 500;
const agent = new Agent({ keepAlive: true, maxSockets: 200 });

export async function nodes(bench) {
  const { postgresBin, startPostgres } = await postgresKit(bench.root);
  if (!postgresBin || !HAPROXY) return;
  const postgres = await startPostgres();
  try {
    await throughput(bench, postgres);
    await manyWorlds(bench, postgres);
  } finally {
    await postgres.close();
    agent.destroy();
  }
}

function requested(port, path, { method = "GET", headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const sent = request({ agent, host: "127.0.0.1", port, path, method, headers }, (answer) => {
      const pieces = [];
      answer.on("data", (piece) => pieces.push(piece));
      answer.on("end", () => resolve({ status: answer.statusCode, text: Buffer.concat(pieces).toString() }));
    });
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function control(port, path, body, world) {
  const headers = { ...JSON_TYPE, authorization: `Bearer ${TOKEN}`, ...(world ? { "sandbox-world": world } : {}) };
  const { status, text } = await requested(port, `/_sandbox/${path}`, { method: body ? "POST" : "GET", headers, body });
  if (status >= 300) throw new Error(`${path} answered ${status}: ${text}`);
  return JSON.parse(text);
}

const nodeAt = ({ bin }, port, database, ...more) => {
  const args = [bin, "start", "--port", port, "--json", "--control-token", TOKEN, "--database", database, ...more];
  return start(args, port, "/readyz");
};

/** Each at its time, whether or not the one before was answered. */
async function paced(count, rate, work) {
  const [began, under] = [performance.now(), []];
  for (let at = 0; at < count; at++) {
    const wait = began + (at * 1000) / rate - performance.now();
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
    under.push(work(at));
  }
  await Promise.all(under);
}

async function inTurns(count, clients, work) {
  let next = 0;
  const client = async () => {
    for (let at = next++; at < count; at = next++) await work(at);
  };
  await Promise.all(Array.from({ length: clients }, client));
}

// Work by processor time.

async function throughput(bench, postgres) {
  const found = [];
  for (let count = 1; count <= PORTS.length; count++) {
    // Worlds that have grown would cost more.
    const database = await postgres.newDatabase();
    const ports = PORTS.slice(0, count);
    const servers = await Promise.all(ports.map((port) => nodeAt(bench, port, database)));
    const proxy = await haproxy(ports);
    try {
      const worlds = await furnishedWorlds(bench.quick ? 60 : WORLDS);
      found.push(await work(bench, worlds, servers));
    } finally {
      proxy.kill();
      await Promise.all(servers.map((server) => server.stop()));
    }
  }
  const [one] = found;
  for (const [index, { busiest, all, same }] of found.entries()) {
    const many = index + 1;
    const name = `${many} ${many === 1 ? "node" : "nodes"} behind HAProxy, ${RATE * many} requests a second, one create for two GETs`;
    const beside = (ratio, comparison, goal) => (many === 1 ? [] : [["of one node", ratio, comparison, goal, " ×"]]);
    const work = beside(busiest / one.busiest, "≥", 0.9 * many);
    row(bench, `${name}: requests for a processor second of the busiest`, busiest, "", work);
    row(bench, `${name}: processor time of all nodes for one`, all, " ms", beside(all / one.all, "≤", 1.15));
    const fixed = `the same requests to ${many} ${many === 1 ? "node" : "nodes"}, ${SAME_RATE} a second of all together`;
    const least = beside(same / one.same, "≥", 0.9 * many);
    row(bench, `${fixed}: requests for a processor second of the busiest`, same, "", least);
  }
}

const row = ({ row: write }, name, ours, unit, goals = []) => write(name, { ours, unit, goals });

/** A server that is not there is one that is down. */
async function haproxy(ports) {
  const [NODE_A, NODE_B, NODE_C] = [...ports, ...ports.map(() => 9), 9].map((port) => `127.0.0.1:${port}`);
  const env = { LISTEN: `127.0.0.1:${FRONT}`, NODE_A, NODE_B, NODE_C };
  const child = spawn(HAPROXY, ["-f", "docs/hosted/haproxy.cfg", "-db"], { env, stdio: "ignore" });
  // It has looked at each twice.
  await new Promise((resolve) => setTimeout(resolve, 3000));
  return child;
}

async function furnishedWorlds(count) {
  const worlds = [];
  const sessions = [{ start_time: "2030-09-01T10:00:00", end_time: "2030-09-01T11:00:00" }];
  await inTurns(count, 8, async () => {
    const made = await control(FRONT, "worlds", { fixture: "harbour-tours", clock: "2030-06-01T09:00:00Z" });
    const event = { id: "evt-big", experience_id: "exp-canal", capacity: 1_000_000, sessions };
    await control(FRONT, "acts/createEvent", event, made.id);
    const { access_token } = await tokenOf({ ...made, url: `http://127.0.0.1:${FRONT}` });
    worlds.push({ authorization: `Bearer ${access_token}` });
  });
  return worlds;
}

async function work({ quick, rounds }, worlds, servers) {
  const seconds = quick ? 5 : 15;
  const rate = RATE * servers.length;
  const once = async (at) => {
    const headers = { ...worlds[at % worlds.length], ...JSON_TYPE };
    const sent = at % 3 === 0 ? { method: "POST", headers, body: input } : { headers };
    const { status, text } = await requested(FRONT, at % 3 === 0 ? "/v1/bookings" : "/v1/bookings/bkg-evening", sent);
    if (status >= 300) throw new Error(`answered ${status}: ${text}`);
  };
  // On a busy machine HAProxy closes a connection as it is used again.
  const one = (at) => once(at).catch(() => once(at));
  // Until each world lives where it is asked for, and everything is warm.
  await inTurns(seconds * rate, 20, one);
  const measured = async (amount, rate) => {
    const before = servers.map((server) => server.processorTime());
    await paced(amount, rate, one);
    const times = servers.map((server, index) => server.processorTime() - before[index]);
    return { busiest: (amount / Math.max(...times)) * 1000, all: times.reduce((a, b) => a + b, 0) / amount };
  };
  const [runs, same] = [[], []];
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    runs.push(await measured(seconds * rate, rate));
    same.push(await measured(seconds * SAME_RATE, SAME_RATE));
  }
  const of = (rows, name) => median(rows.map((run) => run[name]));
  return { busiest: of(runs, "busiest"), all: of(runs, "all"), same: of(same, "busiest") };
}

// Many worlds, of which few are open.

async function manyWorlds(bench, postgres) {
  const database = await postgres.newDatabase();
  const many = bench.quick ? MANY / 10 : MANY;
  const [port] = PORTS;
  const first = await nodeAt(bench, port, database);
  await control(port, "worlds", { id: "origin", fixture: "harbour-tours" });
  await first.stop();
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  await copied(client, many);
  const server = await nodeAt(bench, port, database, "--worlds-in-memory", OPEN);
  try {
    const of = `${many} worlds, of which a node keeps ${OPEN}`;
    row(bench, `${of}: start until it is ready`, server.ms, " ms");
    row(bench, `${of}: memory after the start`, server.memory(), " MB");
    const waits = [];
    const opened = (from, until) =>
      inTurns(until - from, 1, async (at) => {
        const began = performance.now();
        await control(port, "clock", undefined, `copy-${((from + at) * 7919) % many}`);
        waits.push(performance.now() - began);
      });
    await opened(0, OPEN);
    row(bench, `${of}: memory when ${OPEN} are open`, server.memory(), " MB");
    await opened(OPEN, OPEN * 4);
    row(bench, `${of}: memory when ${OPEN * 4} have been asked for`, server.memory(), " MB");
    waits.sort((a, b) => a - b);
    row(bench, `${of}: first request to a closed one, median`, median(waits), " ms");
    row(bench, `${of}: first request to a closed one, 95 of 100`, waits[Math.floor(waits.length * 0.95)], " ms");
    row(bench, `${of}: list of all, as the operator`, await taken(() => control(port, "worlds")), " ms");
    row(bench, `${of}: 1,000 due at once, until all were opened`, await allSwept(client), " ms");
    const [{ bytes }] = (await client.query("select pg_database_size(current_database())::float8 as bytes")).rows;
    row(bench, `${of}: database for one world`, bytes / many / 1000, " kB");
  } finally {
    await client.end();
    await server.stop();
  }
}

/** As forks are: a row, and the checkpoint. */
async function copied(client, many) {
  await client.query(
    `insert into worlds (id, recipe, epoch, bytes)
     select 'copy-' || n, w.recipe, 0, w.bytes from worlds w, generate_series(0, $1::int - 1) n where w.id = 'origin'`,
    [many],
  );
  for (const table of [
    ["snapshots", "name, seq, at, format, template, body"],
    ["journal", "seq, epoch, at, format, record"],
  ])
    await client.query(
      `insert into ${table[0]} (world, ${table[1]})
       select 'copy-' || n, ${table[1]} from ${table[0]}, generate_series(0, $1::int - 1) n where world = 'origin'`,
      [many],
    );
  await client.query("analyze");
}

async function taken(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** One that was looked at has nothing due any more, since nothing was. */
function allSwept(client) {
  return taken(async () => {
    await client.query(
      "update worlds set next_due_at = now() where id in (select id from worlds where owner is null and id like 'copy-%' limit 1000)",
    );
    for (let left = 1; left > 0; ) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      const { rows } = await client.query("select count(*)::int as left from worlds where next_due_at <= now()");
      left = rows[0].left;
    }
  });
}

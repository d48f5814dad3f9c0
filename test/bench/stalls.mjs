// How long each request of a world of 20,000 bookings keeps the others waiting: the longest turn of the event loop while it is answered, in
// processor time of the main thread, as `turns.cjs` counts it. On disk, as a user has it.
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postgresKit, TOKEN } from "./hosted.mjs";
import { readersOf } from "./readers.mjs";
import { bigEvent, CLOCK, furnished, input, JSON_TYPE } from "./sandboxes.mjs";

const PORT = 4660;
const [BOOKINGS, READERS, MOST_MS] = [20_000, 300, 50];

/** Measures the turns of a server that `turns.cjs` is loaded into, while some work is done. */
export const turnsOf = (server) => {
  const lines = () => server.said().split("\n").filter(Boolean);
  return async (work) => {
    server.signal("SIGUSR2");
    await new Promise((resolve) => setTimeout(resolve, 100));
    const before = lines().length;
    try {
      await work();
      // What goes on behind the answer counts too: a compaction, a stream.
      await new Promise((resolve) => setTimeout(resolve, 500));
    } finally {
      server.signal("SIGUSR2");
      while (lines().length === before) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return JSON.parse(lines().at(-1));
  };
};

/** Reads an answer to its end, and keeps none of it unless asked to: it may be longer than a text can be. */
const asking =
  (url, sent = {}) =>
  (path, { method = "GET", headers = {}, body, keep = false, wanted = 200 } = {}) =>
    new Promise((resolve, reject) => {
      const made = { method, headers: { ...(body ? JSON_TYPE : {}), ...sent, ...headers } };
      const requested = request(url + path, made, (answer) => {
        const pieces = [];
        answer.on("data", (piece) => (keep || answer.statusCode !== wanted) && pieces.push(piece));
        answer.on("end", () => {
          const bytes = Buffer.concat(pieces);
          if (answer.statusCode === wanted) resolve(bytes);
          else
            reported(url, sent, `${method} ${path} was answered ${answer.statusCode}`, bytes.toString()).then(
              reject,
              reject,
            );
        });
      });
      requested.on("error", reject).end(body);
    });

/** An answer that nobody expected, with what the log of the server has of it: for a 500 that is its stack. */
async function reported(url, headers, what, body) {
  const id = /\b(?:req|act|ctl)-[\w-]+/.exec(body)?.[0];
  const entry = id && (await fetch(`${url}/_sandbox/log/${id}`, { headers }).then((answer) => answer.text()));
  return new Error([what, body, entry].filter(Boolean).join("\n"));
}

/** Readers of the stream that take all that comes, for as long as `work` takes. */
async function beside(url, readers, work) {
  const leave = await readersOf(url, readers);
  await work();
  await leave();
}

/** Each is measured by itself, in this order: what comes later finds what was done before. */
function operationsOf({ url, headers }, ask, exported) {
  const control = (path, more) => ask(`/_sandbox${path}`, more);
  const body = JSON.stringify(input);
  const refused = () => ask("/v1/bookings", { method: "POST", headers, body: refusedBody(), wanted: 400 });
  const post = (path, body = {}, more = {}) => control(path, { method: "POST", body: JSON.stringify(body), ...more });
  return {
    "a document, the first time": () => ask("/openapi.yaml"),
    "15,000 bad keys, the first time": refused,
    "15,000 bad keys, again": refused,
    "a list of 100 beside 300 readers of the stream": () =>
      beside(url, READERS, () => ask("/v1/bookings?limit=100", { headers })),
    "records that hold a text that none has": () => control("/records/bookings?q=nobody-has-this"),
    "records of a member that none has": () => control("/records/tickets?where=booking_id%3Dnone"),
    export: async () => {
      exported.bytes = await control("/state", { keep: true });
    },
    import: () => control("/state", { method: "PUT", body: exported.bytes }),
    "the first list after it": () => ask("/v1/bookings?limit=100&status=ACTIVE", { headers }),
    "a snapshot saved": () => control("/snapshots/before", { method: "PUT" }),
    "populate of 5,000 more": () => post("/state/populate", { bookings: 5000 }),
    "a snapshot restored": () => post("/snapshots/before/restore"),
    fork: () => post("/worlds/default/fork", {}, { wanted: 201 }),
    history: () => control("/history?limit=100"),
    "2,000 changes compared with now": async () => {
      for (let made = 0; made < 2000; made++) await ask("/v1/bookings", { method: "POST", headers, body, wanted: 201 });
      const { kept } = JSON.parse(await control("/history?limit=1", { keep: true }));
      await control(`/diff?from=${kept.from.seq}`);
    },
    "the latest 1,000 of the log": () => control("/log?limit=1000&view=told"),
    "a day of the clock": () => post("/clock/advance", { by: "P1D" }),
    "a world made": () => post("/worlds", {}, { wanted: 201 }),
    reset: () => post("/state/reset"),
  };
}

/** The exported world, with all its bookings at one event. */
function atOneEvent({ bytes }) {
  const { checksum: _, collections, ...world } = JSON.parse(bytes);
  const bookings = collections.bookings.map((booking) => ({ ...booking, event_id: bigEvent.id }));
  return JSON.stringify({ ...world, collections: { ...collections, bookings } });
}

/** Of that world, in this order. The cancelling is one commit, and is not cut. */
const crowdedOperationsOf = (ask) => ({
  "an event with all bookings, the first time": () => ask(`/_sandbox/records/events/${bigEvent.id}`),
  "an event with all bookings, again": () => ask(`/_sandbox/records/events/${bigEvent.id}`),
  "its experience": () => ask(`/_sandbox/records/experiences/${bigEvent.experience_id}`),
  "its deletion, refused": () => actOnEvent(ask, "deleteEvent", 409),
  "it is cancelled": () => actOnEvent(ask, "cancelEvent"),
  "it is deleted": () => actOnEvent(ask, "deleteEvent"),
});

const actOnEvent = (ask, act, wanted = 200) =>
  ask(`/_sandbox/acts/${act}`, { method: "POST", body: JSON.stringify({ event_id: bigEvent.id }), wanted });

/** Each is longer than a key may be. */
const BAD_KEYS = 15_000;
const refusedBody = () => {
  const metadata = Object.fromEntries(Array.from({ length: BAD_KEYS }, (_, at) => [String(at).padEnd(41, "k"), "x"]));
  return JSON.stringify({ ...input, metadata });
};

/** Of a node on PostgreSQL, which writes what a data file gets bit by bit at once. */
function sharedOperationsOf(ask, exported) {
  const control = (path, more) => ask(`/_sandbox${path}`, more);
  return {
    import: () => control("/state", { method: "PUT", body: exported.bytes }),
    "a snapshot saved": () => control("/snapshots/before", { method: "PUT" }),
    "populate of 5,000 more": () =>
      control("/state/populate", { method: "POST", body: JSON.stringify({ bookings: 5000 }) }),
    "a snapshot restored": () => control("/snapshots/before/restore", { method: "POST", body: "{}" }),
  };
}

/** One that is not answered as it should be is told and kept, and the others are measured all the same. */
async function measureEach({ row, root }, { server, where }, operations) {
  const measured = turnsOf(server);
  for (const [what, work] of Object.entries(operations)) {
    try {
      const { longest, all } = await measured(work);
      const name = `longest turn at ${where}: ${what} (of ${Math.round(all)} ms)`;
      row(name, { ours: longest, unit: " ms", goals: [["", longest, "≤", MOST_MS, " ms"]] });
    } catch (reason) {
      appendFileSync(join(root, "dist/bench-failures.txt"), `${what}: ${reason.message}\n\n`);
      process.stderr.write(`${what}: ${reason.message}\n(kept in dist/bench-failures.txt)\n`);
      process.exitCode = 1;
    }
  }
}

const message = (count) => count.toLocaleString("en");

export async function stalls(bench) {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const data = join(folder, "world.json");
  const words = [
    bench.bin,
    "world",
    "populate",
    "--bookings",
    BOOKINGS,
    "--seed",
    7,
    "--data",
    data,
    "--clock",
    CLOCK,
    "--json",
  ];
  execFileSync(process.execPath, words.map(String), { stdio: "ignore" });
  const where = `${message(BOOKINGS)} bookings (${Math.round(statSync(data).size / 1e6)} MB)`;
  const turns = join(bench.root, "test/bench/turns.cjs");
  const started = (port, sent, ...more) =>
    furnished(["--require", turns, bench.bin, "start", "--port", port, "--json", ...more], port, sent);
  const exported = {};
  const server = await started(PORT, {}, "--data", data);
  try {
    const ask = asking(server.url);
    await measureEach(bench, { server, where }, operationsOf(server, ask, exported));
    if (!exported.bytes) return;
    await ask("/_sandbox/state", { method: "PUT", body: atOneEvent(exported) });
    await measureEach(bench, { server, where }, crowdedOperationsOf(ask));
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  await sharedStalls(bench, { started, where: `${where}, \`--database\``, exported });
}

/** Where there is a PostgreSQL. */
async function sharedStalls(bench, { started, where, exported }) {
  const { postgresBin, startPostgres } = await postgresKit(bench.root);
  if (!postgresBin || !exported.bytes) return;
  const postgres = await startPostgres();
  const sent = { authorization: `Bearer ${TOKEN}` };
  try {
    const database = await postgres.newDatabase();
    const options = ["--database", database, "--clock", CLOCK, "--control-token", TOKEN];
    const server = await started(PORT + 1, sent, ...options);
    try {
      await measureEach(bench, { server, where }, sharedOperationsOf(asking(server.url, sent), exported));
    } finally {
      await server.stop();
    }
  } finally {
    await postgres.close();
  }
}

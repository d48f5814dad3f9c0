// How long each request of a world of 20,000 bookings keeps the others waiting: the longest turn of the event loop while it is answered, in
// processor time of the main thread, as `turns.cjs` counts it. On disk, as a user has it.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CLOCK, furnished, JSON_TYPE } from "./sandboxes.mjs";

const PORT = 4660;
const [BOOKINGS, READERS, MOST_MS] = [20_000, 300, 50];

const turnsOf = (server) => {
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
  (url) =>
  (path, { method = "GET", headers = {}, body, keep = false, wanted = 200 } = {}) =>
    new Promise((resolve, reject) => {
      const sent = request(url + path, { method, headers: { ...(body ? JSON_TYPE : {}), ...headers } }, (answer) => {
        const pieces = [];
        answer.on("data", (piece) => (keep || answer.statusCode !== wanted) && pieces.push(piece));
        answer.on("end", () => {
          const bytes = Buffer.concat(pieces);
          if (answer.statusCode === wanted) resolve(bytes);
          else
            reject(new Error(`${method} ${path} was answered ${answer.statusCode}: ${bytes.toString().slice(0, 300)}`));
        });
      });
      sent.on("error", reject).end(body);
    });

/** Readers of the stream that take all that comes, for as long as `work` takes. */
async function beside(url, readers, work) {
  const open = await Promise.all(
    Array.from(
      { length: readers },
      () =>
        new Promise((resolve, reject) => {
          const sent = request(`${url}/_sandbox/stream?view=full`, { agent: false }, (answer) =>
            resolve({ sent, answer: answer.resume() }),
          );
          sent.on("error", reject).end();
        }),
    ),
  );
  await work();
  for (const { sent } of open) sent.on("error", () => undefined).destroy();
}

/** Each is measured by itself, in this order: what comes later finds what was done before. */
function operationsOf({ url, headers }, ask, exported) {
  const control = (path, more) => ask(`/_sandbox${path}`, more);
  const post = (path, body = {}, more = {}) => control(path, { method: "POST", body: JSON.stringify(body), ...more });
  return {
    "a document, the first time": () => ask("/openapi.yaml"),
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
    "a day of the clock": () => post("/clock/advance", { by: "P1D" }),
    "a world made": () => post("/worlds", {}, { wanted: 201 }),
    reset: () => post("/state/reset"),
  };
}

export async function stalls(bench) {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const data = join(folder, "world.json");
  const words = [
    bench.bin,
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
  const megabytes = Math.round(statSync(data).size / 1e6);
  const turns = join(bench.root, "test/bench/turns.cjs");
  const args = ["--require", turns, bench.bin, "start", "--data", data, "--port", PORT, "--json"];
  const server = await furnished(args, PORT);
  try {
    const measured = turnsOf(server);
    for (const [what, work] of Object.entries(operationsOf(server, asking(server.url), {}))) {
      const { longest, all } = await measured(work);
      const name = `longest turn at ${BOOKINGS.toLocaleString("en")} bookings (${megabytes} MB): ${what} (of ${Math.round(all)} ms)`;
      bench.row(name, { ours: longest, unit: " ms", goals: [["", longest, "≤", MOST_MS, " ms"]] });
    }
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

// What a request costs as the world grows, from 1,000 bookings on: one booking read, one made, a first page and a page deep inside,
// both filtered by status and window; how much memory that takes; a copy of it; and a start from a file that holds as many.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { bundling } from "../../src/build/bundle.mjs";
import { inTurns } from "./load.mjs";
import { CLOCK, furnished, input, JSON_TYPE } from "./sandboxes.mjs";
import { median, start } from "./servers.mjs";

const FIRST_PORT = 4620;
const MEGABYTES_A_MILLION = 18_000;
/** Who gives a process more memory gives its young objects some of it too; the same for every size. */
const YOUNG = "--max-semi-space-size=128";
const worded = (size) => size.toLocaleString("en");

/** The goals hold up to 5,000 bookings; 10,000 is what an import can hold. */
const SIZES = [1000, 5000, 10_000];
const LARGEST_WITH_GOALS = 5000;

/** The program that fills a world in memory, made as the published one is. */
async function filledProgram(root) {
  const outfile = join(root, "node_modules/.cache/experience-sandbox-bench/filled.cjs");
  mkdirSync(join(outfile, ".."), { recursive: true });
  const made = await build({ ...bundling, entryPoints: ["test/bench/filled.ts"], outfile });
  for (const { path, text } of made.outputFiles) writeFileSync(path, text);
  return outfile;
}

export async function sizes(bench) {
  const program = await filledProgram(bench.root);
  const worlds = [];
  try {
    for (const [place, size] of SIZES.entries()) {
      const heap = Math.max(2000, (size / 1e6) * MEGABYTES_A_MILLION);
      const port = FIRST_PORT + place;
      const server = await furnished(["--expose-gc", YOUNG, `--max-old-space-size=${heap}`, program, port, size], port);
      worlds.push({ size, ...server, questions: await questionsFor(server) });
      bench.row(`memory with ${worded(size)} bookings`, { ours: server.memory(), unit: " MB" });
    }
    for (const what of ["get", "first page", "page deep inside", "create"])
      for (const clients of [50, 1]) await compare(bench, worlds, what, clients);
    for (const world of worlds) await copies(bench, world);
  } finally {
    await Promise.all(worlds.map((world) => world.stop()));
  }
}

const WINDOW = "status=ACTIVE&from=2029-08-01T00:00:00Z&to=2030-05-01T00:00:00Z&limit=100";

/** The page deep inside is the middle one of all that the filter finds. */
async function questionsFor({ read }) {
  const pages = [""];
  for (let next; ; ) {
    const page = await read(`/v1/bookings?${WINDOW}${next ? `&cursor=${next}` : ""}`);
    next = page.next;
    if (!next) break;
    pages.push(`&cursor=${next}`);
  }
  const middle = pages[Math.floor((pages.length - 1) / 2)];
  const { items } = await read(`/v1/bookings?${WINDOW}${middle}`);
  return {
    get: { path: `/v1/bookings/${items[0].id}`, wanted: 200 },
    "first page": { path: `/v1/bookings?${WINDOW}`, wanted: 200 },
    "page deep inside": { path: `/v1/bookings?${WINDOW}${middle}`, wanted: 200 },
    create: { path: "/v1/bookings", method: "POST", body: input, wanted: 201 },
  };
}

async function compare(bench, worlds, what, clients) {
  const servers = worlds.map(({ size, url, headers, questions }) => {
    const { path, wanted, ...rest } = questions[what];
    return [size, { url: url + path, ...rest, headers: { ...headers, ...JSON_TYPE } }];
  });
  const { wanted } = worlds[0].questions[what];
  const times = { ...bench, seconds: Math.min(bench.seconds, 2), rounds: Math.min(bench.rounds, 3) };
  const found = await inTurns(times, Object.fromEntries(servers), wanted, clients);
  const small = found[1000].rps;
  for (const { size } of worlds) {
    const { rps } = found[size];
    const goals = size === LARGEST_WITH_GOALS ? [["cost of 1,000's", small / rps, "≤", 1.3, " ×"]] : [];
    bench.row(`${what}, ${worded(size)} bookings, ${clients} client${clients > 1 ? "s" : ""}`, {
      ours: rps,
      unit: "/s",
      goals,
    });
  }
}

async function copies(bench, { size, control }) {
  const times = [];
  for (let round = 0; round < 9; round++) {
    const began = performance.now();
    const { items } = await control("POST", "/worlds/default/fork", {});
    times.push(performance.now() - began);
    await control("DELETE", `/worlds/${items[0].id}`);
  }
  bench.row(`fork of ${worded(size)} bookings`, { ours: median(times), unit: " ms" });
}

/** Files as `sandbox world populate` makes them; each start is killed, so that the next one finds the same file. */
export async function files(bench) {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  for (const size of SIZES) {
    const data = join(folder, `world-${size}.json`);
    const words = [bench.bin, "world", "populate", "--bookings", size, "--data", data, "--clock", CLOCK, "--json"];
    const began = performance.now();
    execFileSync(process.execPath, ["--max-old-space-size=4000", ...words.map(String)], { stdio: "ignore" });
    const made = (performance.now() - began) / 1000;
    bench.row(`populate a file with ${worded(size)} bookings`, { ours: made, unit: " s" });
    const times = [];
    let memory = 0;
    for (let round = 0; round < (bench.quick ? 2 : 5); round++) {
      const args = [bench.bin, "start", "--data", data, "--port", FIRST_PORT, "--quiet"];
      const server = await start(args, FIRST_PORT, "/healthz", { signal: "SIGKILL" });
      times.push(server.ms / 1000);
      memory = server.memory();
      await server.stop();
    }
    const megabytes = (statSync(data).size / 1e6).toFixed(0);
    const ours = median(times);
    const judge = (value, most, unit) => (size === LARGEST_WITH_GOALS ? [["", value, "≤", most, unit]] : []);
    const goals = judge(ours, 1, " s");
    bench.row(`start from ${worded(size)} bookings (${megabytes} MB)`, { ours, unit: " s", goals });
    const figures = { ours: memory, unit: " MB", goals: judge(memory, 250, " MB") };
    bench.row(`memory after start from ${worded(size)} bookings`, figures);
  }
  rmSync(folder, { recursive: true, force: true });
}

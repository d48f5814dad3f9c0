// npm run bench: the sandbox beside bare Express answering constant JSON, and beside prism-cli mocking our own specification, in one
// run, in turns, medians. Prints one table, writes it as JSON beside dist/, and with --readme into the README. --quick for a first look.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { load } from "./load.mjs";
import { peers } from "./peers.mjs";
import { webhookFigures } from "./receivers.mjs";
import { median, start } from "./servers.mjs";

const root = join(import.meta.dirname, "../..");
const quick = process.argv.includes("--quick");
const [rounds, seconds, colds] = quick ? [1, 2, 3] : [3, 4, 9];
const [OURS, BARE, PRISM] = [4610, 4611, 4612];
const { express, autocannon, prism } = peers();
const bin = join(root, "bin/sandbox.js");
const library = createRequire(import.meta.url)(join(root, "dist/index.cjs"));
const rows = [];

/** Notes a figure with its goal; `met` is judged here, in one place. */
function row(what, value, { unit = "", goal = "", met } = {}) {
  rows.push({
    what,
    value: typeof value === "number" ? Number(value.toPrecision(3)) : value,
    unit,
    goal,
    met: met === undefined ? "" : met ? "yes" : "no",
  });
  process.stderr.write(`${what}: ${value}${unit}\n`);
}

const customer = {
  customer_type: "PRIVATE",
  name: "Anna Holm",
  email: "anna@example.com",
  address: { address_lines: ["Nyhavn 12"], city: "København", zip_code: "1051", country: "DK" },
};
const wish = {
  event_id: "evt-big",
  locale: "da",
  customer,
  items: [{ type_id: "var-adult", item_type: "VARIANT", quantity: 2 }],
};
const json = { "content-type": "application/json" };

/** A sandbox with one event that never fills, its token, and the answers that Express is to give. */
async function prepared(args) {
  const server = await start(
    [bin, "start", "--port", OURS, "--clock", "2030-06-01T09:00:00Z", "--json", ...args].map(String),
    OURS,
    "/healthz",
  );
  const { client_id, client_secret, url } = JSON.parse(server.said().split("\n")[0]);
  const post = (path, body) => fetch(url + path, { method: "POST", headers: json, body: JSON.stringify(body) });
  await post("/_sandbox/acts/createEvent", {
    id: "evt-big",
    experience_id: "exp-canal",
    capacity: 100_000_000,
    sessions: [{ start_time: "2030-09-01T10:00:00", end_time: "2030-09-01T11:00:00" }],
  });
  const form = { grant_type: "client_credentials", audience: url, client_id, client_secret };
  const { access_token } = await (
    await fetch(`${url}/oauth2/token`, { method: "POST", body: new URLSearchParams(form) })
  ).json();
  const headers = { authorization: `Bearer ${access_token}` };
  const read = async (path) => (await fetch(url + path, { headers })).json();
  const answers = {
    one: await read("/v1/bookings/bkg-evening"),
    list: await read("/v1/bookings?limit=100"),
    made: { id: "7f3c0a9be2d14c5f8a6b1d2e3f405162", status: "ACTIVE" },
  };
  return { ...server, headers, answers, form };
}

async function requests() {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const memory = await prepared(["--memory"]);
  const bare = await start(
    [join(import.meta.dirname, "bare.cjs"), express, BARE, JSON.stringify(memory.answers)].map(String),
    BARE,
    "/healthz",
  );
  const mock = await start(
    [prism, "mock", "-p", PRISM, join(root, "src/generated/openapi.json")].map(String),
    PRISM,
    "/v1/me",
  );
  const one = (port) => ({ url: `http://127.0.0.1:${port}/v1/bookings/bkg-evening` });
  const list = (port) => ({ url: `http://127.0.0.1:${port}/v1/bookings?limit=100` });
  const create = (port) => ({ url: `http://127.0.0.1:${port}/v1/bookings`, method: "POST", body: wish });
  const wrong = (port) => ({ url: `http://127.0.0.1:${port}/v1/bookings`, method: "POST", body: {} });
  const inTurns = async (ask, connections, servers) => {
    const found = Object.fromEntries(Object.keys(servers).map((name) => [name, []]));
    for (let round = 0; round < rounds; round++)
      for (const [name, [port, headers]] of Object.entries(servers))
        found[name].push(
          await load(autocannon, { ...ask(port), headers: { ...headers, ...json }, connections, seconds }),
        );
    return Object.fromEntries(
      Object.entries(found).map(([name, each]) => [
        name,
        { rps: median(each.map(({ rps }) => rps)), p99: median(each.map(({ p99 }) => p99)) },
      ]),
    );
  };
  const both = { ours: [OURS, memory.headers], bare: [BARE, {}] };
  const bearer = { authorization: "Bearer x" };
  const get50 = await inTurns(one, 50, { ...both, prism: [PRISM, bearer] });
  row("GET one, 50 clients, of bare Express", get50.ours.rps / get50.bare.rps, {
    unit: " x",
    goal: "≥ 0.9",
    met: get50.ours.rps / get50.bare.rps >= 0.9,
  });
  row("GET one, 50 clients, of prism-cli mock", get50.ours.rps / get50.prism.rps, {
    unit: " x",
    goal: "≥ 2.5",
    met: get50.ours.rps / get50.prism.rps >= 2.5,
  });
  row("GET one, 50 clients", get50.ours.rps, { unit: "/s" });
  row("p99 of GET one, 50 clients, of bare Express", get50.ours.p99 / Math.max(1, get50.bare.p99), {
    unit: " x",
    goal: "≤ 1.5",
    met: get50.ours.p99 <= get50.bare.p99 * 1.5,
  });
  const get1 = await inTurns(one, 1, both);
  row("GET one, 1 client, of bare Express", get1.ours.rps / get1.bare.rps, { unit: " x" });
  const list50 = await inTurns(list, 50, both);
  row("list 100, 50 clients, of bare Express", list50.ours.rps / list50.bare.rps, { unit: " x" });
  const post50 = await inTurns(create, 50, { ...both, prism: [PRISM, bearer] });
  row("create booking, in memory, 50 clients, of bare Express", post50.ours.rps / post50.bare.rps, { unit: " x" });
  row("create booking, in memory, 50 clients, of prism-cli mock", post50.ours.rps / post50.prism.rps, { unit: " x" });
  const bad = await inTurns(wrong, 50, { ours: both.ours, prism: [PRISM, bearer] });
  row("refused booking (400), 50 clients", bad.ours.rps, { unit: "/s" });
  const grant = { url: `http://127.0.0.1:${OURS}/oauth2/token`, method: "POST", connections: 50, seconds };
  const form = new URLSearchParams(memory.form).toString();
  const token = await load(autocannon, {
    ...grant,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    text: form,
  });
  row("token, 50 clients", token.rps, { unit: "/s" });
  await Promise.all([memory.stop(), mock.stop()]);
  const disk = await prepared(["--data", join(folder, "world.json"), "--fresh"]);
  const durable = await inTurns(create, 50, { ours: [OURS, disk.headers], bare: both.bare });
  row("create booking, on disk (os), 50 clients, of bare Express", durable.ours.rps / durable.bare.rps, {
    unit: " x",
    goal: "≥ 0.7",
    met: durable.ours.rps / durable.bare.rps >= 0.7,
  });
  row("create booking, on disk (os), 50 clients", durable.ours.rps, { unit: "/s" });
  await Promise.all([disk.stop(), bare.stop()]);
  rmSync(folder, { recursive: true, force: true });
}

async function coldStarts() {
  const found = { ours: [], bare: [] };
  let rss = 0;
  for (let round = 0; round < colds; round++) {
    const ours = await start([bin, "start", "--memory", "--port", OURS, "--quiet"].map(String), OURS, "/healthz");
    await new Promise((resolve) => setTimeout(resolve, round === 0 ? 2500 : 200));
    rss = ours.memory();
    found.ours.push(ours.ms);
    await ours.stop();
    const bare = await start(
      [join(import.meta.dirname, "bare.cjs"), express, BARE, "{}"].map(String),
      BARE,
      "/healthz",
    );
    found.bare.push(bare.ms);
    await bare.stop();
  }
  const [ours, bare] = [median(found.ours), median(found.bare)];
  row("cold start, start --memory", ours, { unit: " ms" });
  row("cold start, beyond bare Express's own", ours - bare, { unit: " ms", goal: "≤ 150", met: ours - bare <= 150 });
  row("memory after start", rss, { unit: " MB", goal: "≤ 120", met: rss <= 120 });
}

async function warmLibrary() {
  const timed = async (work) => {
    const began = performance.now();
    const made = await work();
    return [performance.now() - began, made];
  };
  const options = { fixture: "harbour-tours", clock: "2030-06-01T09:00:00Z" };
  const first = await library.startSandbox(options);
  await first.world();
  const [starts, worlds, forks, resets] = [[], [], [], []];
  for (let round = 0; round < 9; round++) {
    const [ms, sandbox] = await timed(() => library.startSandbox(options));
    starts.push(ms);
    await sandbox.close();
    const [each, world] = await timed(() => first.world());
    worlds.push(each);
    forks.push((await timed(() => world.fork()))[0]);
    resets.push((await timed(() => world.reset()))[0]);
  }
  await first.close();
  row("startSandbox() in a warm process", median(starts), { unit: " ms", goal: "≤ 30", met: median(starts) <= 30 });
  row("a further world", median(worlds), { unit: " ms", goal: "≤ 5", met: median(worlds) <= 5 });
  row("fork of harbour-tours", median(forks), { unit: " ms", goal: "≤ 20", met: median(forks) <= 20 });
  row("reset", median(resets), { unit: " ms" });
}

async function webhooks() {
  const { perSecond, firstAttempt } = await webhookFigures(library, quick ? 1000 : 5000);
  row("webhooks to a fast receiver", perSecond, { unit: "/s", goal: "≥ 2000", met: perSecond >= 2000 });
  row("commit to first attempt, idle, median", firstAttempt, { unit: " ms", goal: "≤ 10", met: firstAttempt <= 10 });
}

await coldStarts();
await warmLibrary();
await webhooks();
await requests();
const header = `Measured ${new Date().toISOString().slice(0, 10)} on ${cpus().length} × ${cpus()[0]?.model ?? "?"}, Node ${process.version}${quick ? ", a quick run" : ""}; medians, in turns with the peers.`;
const table = [
  `${header}`,
  "",
  "| | figure | goal | met |",
  "|---|---|---|---|",
  ...rows.map(({ what, value, unit, goal, met }) => `| ${what} | ${value}${unit} | ${goal} | ${met} |`),
  "",
].join("\n");
process.stdout.write(`${table}\n`);
writeFileSync(join(root, "dist/bench.json"), `${JSON.stringify({ header, rows }, null, 2)}\n`);
if (process.argv.includes("--readme")) {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  writeFileSync(
    join(root, "README.md"),
    readme.replace(/<!-- bench -->[\s\S]*<!-- \/bench -->/, () => `<!-- bench -->\n${table}<!-- /bench -->`),
  );
}

// Very many clients at once: 500 of them, in 50 worlds, with a quarter of a second between their requests and without. How long the
// slowest wait, from before their connection is accepted, and how long /healthz waits meanwhile.
import { Agent, request } from "node:http";
import { CLOCK, FORM_TYPE, formOf } from "./sandboxes.mjs";
import { start } from "./servers.mjs";

const PORT = 4640;
const [CLIENTS, WORLDS] = [500, 50];
const PATHS = ["/v1/bookings?limit=10", "/v1/bookings/bkg-evening", "/v1/orders?limit=10", "/v1/me"];
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function ask(agent, path, headers, { method = "GET", body } = {}) {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port: PORT, path, agent, headers, method }, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ text, status: response.statusCode, ms: performance.now() - began }));
    });
    sent.on("error", reject).end(body);
  });
}

async function tokens(agent) {
  const found = [];
  for (let made = 0; made < WORLDS; made++) {
    const headers = { "content-type": "application/json" };
    const world = JSON.parse((await ask(agent, "/_sandbox/worlds", headers, { method: "POST", body: "{}" })).text);
    const form = { method: "POST", body: formOf(world) };
    found.push(JSON.parse((await ask(agent, "/oauth2/token", FORM_TYPE, form)).text).access_token);
  }
  return found;
}

/** Each client has one connection, which it opens with its first request. */
async function client(token, position, { between, until, waits }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { authorization: `Bearer ${token}` };
  if (between > 0) await pause((between * position) / CLIENTS);
  for (let turn = position; performance.now() < until; turn++) {
    const { ms, status } = await ask(agent, PATHS[turn % PATHS.length], headers);
    if (status !== 200) throw new Error(`${PATHS[turn % PATHS.length]} was answered ${status}`);
    waits.push(ms);
    if (between > 0) await pause(between);
  }
  agent.destroy();
}

const percentile = (waits, part) => waits.sort((a, b) => a - b)[Math.floor(waits.length * part)];

async function crowded(known, between, seconds) {
  const until = performance.now() + seconds * 1000;
  const [waits, health] = [[], []];
  const clients = Array.from({ length: CLIENTS }, (_, index) =>
    client(known[index % WORLDS], index, { between, until, waits }),
  );
  const asking = (async () => {
    while (performance.now() < until) {
      health.push((await ask(undefined, "/healthz", {})).ms);
      await pause(20);
    }
  })();
  await Promise.all([...clients, asking]);
  return { p99: percentile(waits, 0.99), healthz: health.sort((a, b) => a - b).at(-1), rps: waits.length / seconds };
}

export async function crowd(bench) {
  const server = await start(
    [bench.bin, "start", "--memory", "--port", PORT, "--clock", CLOCK, "--quiet"],
    PORT,
    "/healthz",
  );
  try {
    const agent = new Agent({ keepAlive: true });
    const known = await tokens(agent);
    agent.destroy();
    for (const [between, most, what] of [
      [250, 0.3, `a quarter of a second between their requests`],
      [0, 2, "no pause"],
    ]) {
      const found = await crowded(known, between, bench.quick ? 10 : 30);
      const waited = found.p99 / 1000;
      const health = ["`/healthz`", found.healthz / 1000, "≤", 0.1, " s"];
      const goals = [["", waited, "≤", most, " s"], ...(between > 0 ? [health] : [])];
      bench.row(`p99 of 500 clients in 50 worlds, ${what} (${Math.round(found.rps)}/s)`, {
        ours: waited,
        unit: " s",
        goals,
      });
    }
  } finally {
    await server.stop();
  }
}

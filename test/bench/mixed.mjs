// Memory under mixed load: rounds of bookings with a receiver that is stopped half of the time, forks, exports, readers of the stream that go,
// worlds that are made and removed, and a reset. Each round leaves the sandbox as it found it, so what grows from round to round is kept by nobody.
import { once } from "node:events";
import { createServer, request } from "node:http";
import { join } from "node:path";
import { load } from "./load.mjs";
import { usageOf } from "./memory.mjs";
import { bigEvent, CLOCK, furnished, input, JSON_TYPE, tokenOf } from "./sandboxes.mjs";

const PORT = 4671;
const [BOOKINGS, FORKS, WORLDS, READERS] = [2000, 5, 5, 20];
/** The first rounds fill what has a limit: the log, the cache of records, the code of the engine. */
const FILLING = 0.25;
const MOST_GROWTH = 1.1;

/** Answers, or is stopped and refuses each connection. */
async function stoppable() {
  const server = createServer((asked, answer) => asked.resume().on("end", () => answer.writeHead(204).end()));
  const listen = async (port) => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return server.address().port;
  };
  const port = await listen(0);
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}/`, start: () => listen(port), stop };
}

const reader = (url) =>
  new Promise((resolve, reject) => {
    const sent = request(`${url}/_sandbox/stream?view=full`, { agent: false }, (answer) => {
      answer.on("error", () => undefined).resume();
      resolve(() => {
        const closed = once(sent, "close");
        sent.destroy();
        return closed;
      });
    });
    sent.on("error", reject).end();
  });

/** Reads all of it and keeps nothing. */
async function drained(answer) {
  for await (const _ of answer.body);
}

async function round({ sandbox, peers, hooks }, at) {
  const { url, control, announced } = sandbox;
  await control("POST", "/state/populate", { bookings: BOOKINGS, seed: at });
  const token = await tokenOf(announced);
  const sent = { authorization: `Bearer ${token.access_token}` };
  if (at > 1) await control("POST", "/acts/createEvent", bigEvent);
  const kinds = ["v1.booking.created", "v1.journal_entry.created"];
  const subscribed = await fetch(`${url}/v1/webhook-subscriptions`, {
    ...{
      method: "POST",
      headers: { ...sent, ...JSON_TYPE },
      body: JSON.stringify({ url: hooks.url, event_types: kinds, state: "ENABLED" }),
    },
  });
  if (subscribed.status >= 300)
    throw new Error(`The subscription was answered ${subscribed.status}: ${await subscribed.text()}`);
  const readers = await Promise.all(Array.from({ length: READERS }, () => reader(url)));
  const bookings = { url: `${url}/v1/bookings`, method: "POST", body: input, connections: 20 };
  const made = () => load(peers.autocannon, { ...bookings, amount: BOOKINGS / 2, headers: { ...sent, ...JSON_TYPE } });
  await made();
  await hooks.stop();
  await made();
  const [forks, worlds] = [[], []];
  for (let i = 0; i < FORKS; i++) forks.push((await control("POST", "/worlds/default/fork", {})).items[0].id);
  for (let i = 0; i < WORLDS; i++) worlds.push((await control("POST", "/worlds", {})).id);
  for (const id of [...forks, ...worlds])
    await drained(await fetch(`${url}/_sandbox/state`, { headers: { "sandbox-world": id } }));
  await control("POST", "/clock/advance", { by: "PT1H" });
  await hooks.start();
  await Promise.all(readers.map((close) => close()));
  for (const id of [...forks, ...worlds]) await control("DELETE", `/worlds/${id}`);
  await control("POST", "/state/reset", {});
}

export async function mixed(bench) {
  const hooks = await stoppable();
  const usage = ["--expose-gc", "--require", join(import.meta.dirname, "usage.cjs")];
  const args = [...usage, bench.bin, "start", "--memory", "--port", PORT, "--clock", CLOCK, "--json"];
  const sandbox = await furnished(args, PORT);
  const all = bench.minutes * 60_000;
  const began = performance.now();
  const seen = [];
  try {
    for (let at = 1; performance.now() - began < all; at++) {
      await round({ sandbox, peers: bench.peers, hooks }, at);
      const { live } = await usageOf(sandbox);
      seen.push({ live, after: performance.now() - began });
      process.stderr.write(
        `round ${at}: ${live.toFixed(1)} MB in use after ${Math.round((performance.now() - began) / 1000)} s\n`,
      );
    }
    const settled = seen.find(({ after }) => after >= all * FILLING) ?? seen.at(-1);
    const last = seen.at(-1);
    bench.row(`memory in use after ${bench.minutes} minutes of mixed load (${seen.length} rounds)`, {
      ours: last.live,
      unit: " MB",
    });
    bench.row("of what it was after a quarter of them", {
      ours: last.live / settled.live,
      unit: " ×",
      goals: [["", last.live / settled.live, "≤", MOST_GROWTH, " ×"]],
    });
  } finally {
    await sandbox.stop();
    await hooks.stop();
  }
}

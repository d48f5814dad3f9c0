// Memory under mixed load: rounds of bookings with a receiver that is stopped half of the time, forks, exports, readers of the stream that go,
// worlds that are made and removed, and a reset. Each round leaves the sandbox as it found it, so what grows from round to round is kept by nobody.
import { load } from "./load.mjs";
import { KINDS, USAGE, usageOf } from "./memory.mjs";
import { readersOf } from "./readers.mjs";
import { receiver } from "./receiver.mjs";
import { bigEvent, CLOCK, furnished, input, JSON_TYPE, tokenOf } from "./sandboxes.mjs";

const PORT = 4671;
const [BOOKINGS, FORKS, WORLDS, READERS] = [2000, 5, 5, 20];
/** The first rounds fill what has a limit: the log, the cache of records, the code of the engine. */
const FILLING = 0.25;
const MOST_GROWTH = 1.1;

/** Reads all of it and keeps nothing. */
async function drained(answer) {
  for await (const _ of answer.body);
}

async function round({ sandbox, peers, hooks }, at) {
  const { url, control, announced } = sandbox;
  await control("POST", "/state/populate", { bookings: BOOKINGS, seed: at });
  const { access_token } = await tokenOf(announced);
  const headers = { authorization: `Bearer ${access_token}`, ...JSON_TYPE };
  const leave = await readersOf(url, READERS);
  const bookings = { url: `${url}/v1/bookings`, method: "POST", body: input, headers, connections: 20 };
  const made = async () => {
    const { statuses, errors } = await load(peers.autocannon, { ...bookings, amount: BOOKINGS / 2 });
    if (statuses !== "201" || errors > 0) throw new Error(`Bookings were answered ${statuses}, ${errors} errors.`);
  };
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
  await leave();
  for (const id of [...forks, ...worlds]) await control("DELETE", `/worlds/${id}`);
  await control("POST", "/state/reset", {});
  await control("POST", "/acts/createEvent", bigEvent);
}

export async function mixed(bench) {
  const hooks = await receiver();
  const args = [...USAGE, bench.bin, "start", "--memory", "--port", PORT, "--clock", CLOCK, "--json"];
  const sandbox = await furnished([...args, "--webhook-url", hooks.url, "--webhook-events", KINDS], PORT);
  const all = Number(bench.minutes) * 60_000;
  const began = performance.now();
  const seen = [];
  try {
    for (let at = 1; performance.now() - began < all; at++) {
      await round({ sandbox, peers: bench.peers, hooks }, at);
      const { live } = await usageOf(sandbox);
      const after = performance.now() - began;
      seen.push({ live, after });
      process.stderr.write(`round ${at}: ${live.toFixed(1)} MB in use after ${Math.round(after / 1000)} s\n`);
    }
    const settled = seen.find(({ after }) => after >= all * FILLING);
    const last = seen.at(-1);
    const growth = last.live / settled.live;
    bench.row(`memory in use after ${bench.minutes} minutes of mixed load (${seen.length} rounds)`, {
      ours: last.live,
      unit: " MB",
    });
    bench.row("of what it was after a quarter of them", {
      ours: growth,
      unit: " ×",
      goals: [["", growth, "≤", MOST_GROWTH, " ×"]],
    });
  } finally {
    await sandbox.stop();
    await hooks.stop();
  }
}

// How fast webhooks go to a fast receiver on loopback: many at once, and single ones while nothing else happens.
import { createServer } from "node:http";
import { CLOCK, furnished } from "./sandboxes.mjs";
import { median } from "./servers.mjs";

const PORT = 4610;
const KIND = "v1.marketing_consent.created";

async function receiver() {
  const ears = { status: 204, heard: () => {} };
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(ears.status).end();
      ears.heard();
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  /** Resolves with the moment at which so many more have come. */
  const next = (times) =>
    new Promise((resolve) => {
      let left = times;
      ears.heard = () => --left === 0 && resolve(performance.now());
    });
  return { url: `http://127.0.0.1:${server.address().port}/`, ears, next, close: () => server.close() };
}

export async function webhooks(bench) {
  const { url, ears, next, close } = await receiver();
  const args = [bench.bin, "start", "--memory", "--port", PORT, "--clock", CLOCK, "--json"];
  const sandbox = await furnished([...args, "--webhook-url", url, "--webhook-events", KIND], PORT);
  const consent = (name) =>
    sandbox.control("POST", "/acts/submitConsent", { email: `${name}@example.com`, full_name: "A Guest" });
  try {
    const first = await firstAttempts(consent, next);
    const goal = ["", first, "≤", 10, " ms"];
    bench.row("request to first webhook attempt, idle, median", { ours: first, unit: " ms", goals: [goal] });
    const count = bench.quick ? 1000 : 5000;
    const rates = [];
    for (let round = 0; round < bench.rounds; round++)
      rates.push(await burst(sandbox, { consent, next, ears }, count, round));
    const rate = median(rates);
    bench.row("webhooks to a fast receiver", { ours: rate, unit: "/s", goals: [["", rate, "≥", 2000, "/s"]] });
    const many = await ofManyWorlds(bench, sandbox, { url, ears, next });
    const name = `webhooks of ${WORLDS} worlds to a fast receiver, ten due at once in each`;
    bench.row(name, { ours: many, unit: "/s", goals: [["", many, "≥", 6000, "/s"]] });
  } finally {
    await sandbox.stop();
    close();
  }
}

const WORLDS = 100;
const TEN = 10;

/** The same in many worlds, each with a subscription of its own. */
async function ofManyWorlds(bench, { control }, { url, ears, next }) {
  const worlds = Array.from({ length: WORLDS }, (_, index) => `w-${index}`);
  for (const id of worlds)
    await control("POST", "/worlds", { id, clock: CLOCK, webhook_url: url, webhook_events: [KIND] });
  const inEach = (path, body) => Promise.all(worlds.map((id) => control("POST", `${path}?world=${id}`, body)));
  const rates = [];
  for (let round = 0; round < bench.rounds + 2; round++) {
    ears.status = 500;
    const refused = next(WORLDS * TEN);
    for (let index = 0; index < TEN; index++)
      await inEach("/acts/submitConsent", { email: `many-${round}-${index}@example.com`, full_name: "A Guest" });
    await refused;
    ears.status = 204;
    const accepted = next(WORLDS * TEN);
    const began = performance.now();
    await inEach("/messages/resend", { failed_since: CLOCK });
    rates.push((WORLDS * TEN) / (((await accepted) - began) / 1000));
  }
  return median(rates);
}

/** From the sending of the request that commits: a little more than from the commit. */
async function firstAttempts(consent, next) {
  const waits = [];
  for (let index = 0; index < 200; index++) {
    const received = next(1);
    const began = performance.now();
    await consent(`guest-${index}`);
    waits.push((await received) - began);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return median(waits);
}

/** Refused once, and then sent again all at the same moment, so that only delivery is timed. */
async function burst({ control }, { consent, next, ears }, count, round) {
  ears.status = 500;
  const refused = next(count);
  for (let index = 0; index < count; index += 10)
    await Promise.all(Array.from({ length: 10 }, (_, more) => consent(`burst-${round}-${index + more}`)));
  await refused;
  ears.status = 204;
  const accepted = next(count);
  const began = performance.now();
  await control("POST", "/messages/resend", { failed_since: CLOCK });
  return count / (((await accepted) - began) / 1000);
}

// A receiver that only writes down: it answers 202 at once, and a worker beside it works off the queue, one job after the other.
import { createHmac, timingSafeEqual } from "node:crypto";
import { EventEmitter } from "node:events";
import { createServer } from "node:http";

const env = process.env;
const secrets = () => (env.SANDBOX_WEBHOOK_SECRETS || env.SANDBOX_WEBHOOK_SECRET).split(" ");
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Stands for a table of a database: each message once, by its id. */
class Queue extends EventEmitter {
  jobs = [];
  ids = new Set();
  add(id, job) {
    if (this.ids.has(id)) return;
    this.ids.add(id);
    this.jobs.push({ ...job, attempts: 0 });
    this.emit("job");
  }
  async next() {
    while (this.jobs.length === 0) await new Promise((resolve) => this.once("job", resolve));
    return this.jobs.shift();
  }
}

const queue = new Queue();

function isGenuine({ "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signature = "" }, raw) {
  if (!id || !(Math.abs(Date.now() / 1000 - Number(at)) < 300)) return false;
  const given = Buffer.from(signature, "base64");
  return secrets().some((secret) => {
    const key = Buffer.from(secret.replace("whsec_", ""), "base64");
    const wanted = createHmac("sha256", key).update(`${id}.${at}.`).update(raw).digest();
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}

createServer(async (request, response) => {
  const raw = Buffer.concat(await request.toArray());
  if (!isGenuine(request.headers, raw)) return response.writeHead(401).end();
  queue.add(request.headers["webhook-id"], JSON.parse(raw.toString("utf8")));
  response.writeHead(202).end();
}).listen(Number(env.PORT), "127.0.0.1");

let token;
async function login() {
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    audience: env.SANDBOX_URL,
    client_id: env.SANDBOX_CLIENT_ID,
    client_secret: env.SANDBOX_CLIENT_SECRET,
    scope: "booking.read",
  });
  const answer = await fetch(env.SANDBOX_TOKEN_URL, { method: "POST", body, signal: AbortSignal.timeout(5000) });
  if (!answer.ok) throw new Error(`token: ${answer.status}`);
  return (await answer.json()).access_token;
}

const bookings = new Map();

/** What a message names is read; a booking that is gone is forgotten. */
async function work({ type, payload }) {
  if (!type.startsWith("v1.booking.")) return;
  token ??= await login();
  const url = `${env.SANDBOX_URL}/v1/bookings/${payload.booking_id}`;
  const headers = { authorization: `Bearer ${token}`, "accept-language": "en" };
  const answer = await fetch(url, { headers, signal: AbortSignal.timeout(5000) });
  if (answer.status === 401) token = undefined;
  if (answer.status === 404) bookings.delete(payload.booking_id);
  else if (!answer.ok) throw Object.assign(new Error(`${url}: ${answer.status}`), { answer });
  else bookings.set(payload.booking_id, (await answer.json()).status);
}

/** A job that fails is put back, and waits longer each time; one that never works ends up on the list of the dead. */
const dead = [];
for (;;) {
  const job = await queue.next();
  await work(job).catch(async (error) => {
    console.error(error.message);
    if (++job.attempts > 6) return dead.push(job);
    const requested = Number(error.answer?.headers.get("retry-after") ?? 0) * 1000;
    await pause(Math.max(requested + 50, 100 * 2 ** job.attempts));
    queue.jobs.unshift(job);
  });
}

// Stores every message at once and responds 202. A worker verifies the signature before it believes a message.
import { createHmac, timingSafeEqual } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const env = process.env;
const inbox = [];
const handled = new Set();
const statusOf = new Map();
let token;

createServer(async (request, response) => {
  inbox.push({ headers: request.headers, raw: Buffer.concat(await request.toArray()), receivedAt: Date.now() });
  response.writeHead(202).end();
}).listen(env.PORT, "127.0.0.1");

function isGenuine({ headers, raw, receivedAt }) {
  const { "webhook-id": id, "webhook-timestamp": sentAt, "webhook-signature": signature = "" } = headers;
  if (!id || !(Math.abs(receivedAt / 1000 - sentAt) < 300)) return false;
  const received = Buffer.from(signature, "base64");
  return env.SANDBOX_WEBHOOK_SECRETS.split(" ").some((secret) => {
    const key = Buffer.from(secret.replace("whsec_", ""), "base64");
    const expected = createHmac("sha256", key).update(`${id}.${sentAt}.`).update(raw).digest();
    return expected.length === received.length && timingSafeEqual(expected, received);
  });
}

async function request(url, options = {}) {
  for (let pause = 200; pause < 10_000; pause *= 2) {
    const response = await fetch(url, { ...options, signal: AbortSignal.timeout(6000) }).catch(() => undefined);
    if (response && response.status !== 429 && response.status < 500) return response;
    await sleep(Math.max(pause, 1000 * (response?.headers.get("retry-after") ?? 0)));
  }
  throw new Error(`no response from ${url}`);
}

async function getToken() {
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    audience: env.SANDBOX_URL,
    client_id: env.SANDBOX_CLIENT_ID,
    client_secret: env.SANDBOX_CLIENT_SECRET,
    scope: "booking.read",
  });
  return (await (await request(env.SANDBOX_TOKEN_URL, { method: "POST", body })).json()).access_token;
}

async function readBooking(id) {
  for (let attempt = 0; attempt < 3; attempt++) {
    token ??= await getToken();
    const url = `${env.SANDBOX_URL}/v1/bookings/${encodeURIComponent(id)}`;
    const response = await request(url, { headers: { authorization: `Bearer ${token}` } });
    if (response.ok) return response.json();
    if (response.status !== 401) return undefined;
    token = undefined;
  }
}

async function handle(message) {
  const id = message.headers["webhook-id"];
  if (!isGenuine(message) || handled.has(id)) return;
  const { type, payload } = JSON.parse(message.raw);
  if (type.startsWith("v1.booking.")) {
    const booking = await readBooking(payload.booking_id);
    if (booking) statusOf.set(booking.id, booking.status);
    writeFileSync(`${env.SANDBOX_RUN_FOLDER}/bookings.json`, JSON.stringify(Object.fromEntries(statusOf)));
  }
  handled.add(id);
}

for (;;) {
  const message = inbox.shift();
  if (message) await handle(message).catch((error) => console.error(error.message));
  else await sleep(20);
}

// Keeps a copy of the bookings in a file. A webhook is only a doorbell: whatever it says, the program reads what was
// updated since its last look. So duplicates, strangers and lost messages make no difference.
import { createHmac, timingSafeEqual } from "node:crypto";
import { writeFileSync } from "node:fs";
import http from "node:http";
import { setTimeout as delay } from "node:timers/promises";

const { SANDBOX_URL, SANDBOX_TOKEN_URL, SANDBOX_CLIENT_ID, SANDBOX_CLIENT_SECRET, SANDBOX_RUN_FOLDER } = process.env;
const secrets = process.env.SANDBOX_WEBHOOK_SECRETS.split(" ").map((text) => Buffer.from(text.slice(6), "base64"));
const copy = new Map();
let accessToken;

async function patiently(send) {
  for (let wait = 150; ; wait *= 2) {
    const response = await send().catch(() => undefined);
    if (response && ![429, 503].includes(response.status)) return response;
    if (wait > 5000) throw new Error("the API does not respond");
    await delay(Math.max(wait, 1000 * Number(response?.headers.get("retry-after") ?? 0)));
  }
}

async function signIn() {
  const body = new URLSearchParams({ grant_type: "client_credentials", audience: SANDBOX_URL, scope: "booking.read" });
  body.append("client_id", SANDBOX_CLIENT_ID);
  body.append("client_secret", SANDBOX_CLIENT_SECRET);
  const response = await patiently(() => fetch(SANDBOX_TOKEN_URL, { method: "POST", body, signal: timeout() }));
  accessToken = (await response.json()).access_token;
}
const timeout = () => AbortSignal.timeout(5000);

async function readUpdated() {
  const url = `${SANDBOX_URL}/v1/bookings?sort=-updated_at&limit=10`;
  const read = () => fetch(url, { headers: { authorization: `Bearer ${accessToken}` }, signal: timeout() });
  if (!accessToken) await signIn();
  let response = await patiently(read);
  if (response.status === 401) {
    await signIn();
    response = await patiently(read);
  }
  for (const { id, status = "UNKNOWN" } of (await response.json()).items) copy.set(id, status);
  writeFileSync(`${SANDBOX_RUN_FOLDER}/bookings.json`, JSON.stringify(Object.fromEntries(copy)));
}

let reading = Promise.resolve();
let isRequested = false;
function ring() {
  if (isRequested) return;
  isRequested = true;
  reading = reading
    .then(() => {
      isRequested = false;
      return readUpdated();
    })
    .catch((error) => console.error(error.message));
}

http
  .createServer(async (request, response) => {
    const raw = Buffer.concat(await request.toArray());
    const { "webhook-id": id = "", "webhook-timestamp": at = "0", "webhook-signature": sent = "" } = request.headers;
    const signature = Buffer.from(sent, "base64");
    const isSigned = secrets.some((key) => {
      const digest = createHmac("sha256", key).update(`${id}.${at}.`).update(raw).digest();
      return digest.length === signature.length && timingSafeEqual(digest, signature);
    });
    const isGenuine = isSigned && Math.abs(Date.now() / 1000 - at) < 300;
    response.writeHead(isGenuine ? 200 : 401).end();
    if (isGenuine) ring();
  })
  .listen(process.env.PORT);
ring();

// Keeps who has booked in a file: on each message of a new booking it reads who that is for, and nothing else. A guest
// whose message was never sent stays unknown.
import { createHmac, timingSafeEqual } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";

const { env } = process;
const contacts = {};
const save = () => writeFileSync(`${env.SANDBOX_RUN_FOLDER}/contacts.json`, JSON.stringify(contacts));
let bearer;

async function get(path) {
  for (let n = 0; n < 7; n++) {
    bearer ??= await login().catch(() => undefined);
    const request = { headers: { authorization: `Bearer ${bearer}` }, signal: AbortSignal.timeout(5000) };
    const response = bearer && (await fetch(env.SANDBOX_URL + path, request).catch(() => undefined));
    if (response?.ok) return response.json();
    if (response?.status === 401) bearer = undefined;
    else if (response && response.status < 500 && response.status !== 429) return undefined;
    const after = Number(response?.headers.get("retry-after") ?? 0);
    await new Promise((resolve) => setTimeout(resolve, Math.max(after * 1000, 80 * 2 ** n)));
  }
}

async function login() {
  const form = { grant_type: "client_credentials", audience: env.SANDBOX_URL, scope: "booking.read" };
  const body = new URLSearchParams({ ...form, client_id: env.SANDBOX_CLIENT_ID, client_secret: env.SANDBOX_CLIENT_SECRET });
  const response = await fetch(env.SANDBOX_TOKEN_URL, { method: "POST", body, signal: AbortSignal.timeout(5000) });
  if (!response.ok) throw new Error("no token");
  return (await response.json()).access_token;
}

function isSigned(headers, raw) {
  const signature = Buffer.from(headers["webhook-signature"] ?? "", "base64");
  return env.SANDBOX_WEBHOOK_SECRETS.split(" ").some((secret) => {
    const hmac = createHmac("sha256", Buffer.from(secret.replace("whsec_", ""), "base64"));
    const digest = hmac.update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.`).update(raw).digest();
    return digest.length === signature.length && timingSafeEqual(digest, signature);
  });
}

save();
let queue = Promise.resolve();
createServer(async (request, response) => {
  const raw = Buffer.concat(await request.toArray());
  const isFresh = Math.abs(Date.now() - request.headers["webhook-timestamp"] * 1000) < 300_000;
  if (!isFresh || !isSigned(request.headers, raw)) return response.writeHead(401).end();
  response.writeHead(202).end();
  const { type, payload } = JSON.parse(raw);
  if (type !== "v1.booking.created") return;
  queue = queue.then(async () => {
    const booking = await get(`/v1/bookings/${payload.booking_id}`);
    if (booking) contacts[booking.customer?.email ?? booking.id] = booking.customer?.name ?? "";
    save();
  });
}).listen(env.PORT, "127.0.0.1");

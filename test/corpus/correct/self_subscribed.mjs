// A kiosk that books, subscribes itself for the length of its shift, and waits until the confirmation has come or can be read.
import { createHmac, timingSafeEqual } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";

const { SANDBOX_URL, SANDBOX_TOKEN_URL, SANDBOX_CLIENT_ID, SANDBOX_CLIENT_SECRET } = process.env;
const confirmed = new EventEmitter();
const state = { token: undefined, key: undefined };

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function send(url, init, isSafe) {
  for (let n = 0; ; n++) {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(6000) }).catch((lost) => {
      if (!isSafe || n === 6) throw lost;
    });
    if (response && ((response.status !== 429 && response.status !== 503) || n === 6)) return response;
    await sleep(Math.max(1000 * (response?.headers.get("retry-after") ?? 0), 90 * 2 ** n));
  }
}

async function login() {
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    audience: SANDBOX_URL,
    client_id: SANDBOX_CLIENT_ID,
    client_secret: SANDBOX_CLIENT_SECRET,
    scope: "booking.read booking.write webhook.read webhook.write",
  });
  const response = await send(SANDBOX_TOKEN_URL, { method: "POST", body }, true);
  state.token = (await response.json()).access_token;
}

async function api(method, path, json) {
  if (!state.token) await login();
  const go = () => {
    const headers = { authorization: `Bearer ${state.token}`, "content-type": "application/json" };
    return send(SANDBOX_URL + path, { method, headers, body: json && JSON.stringify(json) }, method !== "POST");
  };
  let response = await go();
  if (response.status === 401) {
    await login();
    response = await go();
  }
  const data = response.status === 204 ? null : await response.json();
  return { ok: response.ok, status: response.status, data };
}

const server = createServer(async (request, response) => {
  const raw = Buffer.concat(await request.toArray());
  const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": sent = "" } = request.headers;
  const digest = createHmac("sha256", state.key ?? "").update(`${id}.${at}.`).update(raw).digest();
  const given = Buffer.from(sent, "base64");
  const isGenuine = state.key && given.length === digest.length && timingSafeEqual(given, digest);
  if (!isGenuine || !(Math.abs(Date.now() / 1000 - at) < 300)) return response.writeHead(401).end();
  response.writeHead(204).end();
  const { type, payload } = JSON.parse(raw);
  if (type === "v1.booking.created") confirmed.emit(payload.booking_id);
});
await once(server.listen(0, "127.0.0.1"), "listening");
const url = `http://127.0.0.1:${server.address().port}/confirmations`;
const wanted = { url, event_types: ["v1.booking.created"], state: "ENABLED" };

async function subscribe() {
  const created = await api("POST", "/v1/webhook-subscriptions", wanted).catch(() => undefined);
  if (created?.ok) return created.data;
  // Where its response was lost, the secret is lost with it: the subscription is made again.
  const { data } = await api("GET", "/v1/webhook-subscriptions");
  for (const { id } of data.items?.filter((each) => each.url === url) ?? []) await api("DELETE", `/v1/webhook-subscriptions/${id}`);
  return (await api("POST", "/v1/webhook-subscriptions", wanted)).data;
}

const subscription = await subscribe();
state.key = Buffer.from(subscription.secret?.replace("whsec_", "") ?? "", "base64");

const address = { address_lines: ["Kiosk 3"], city: "Ebeltoft", zip_code: "8400", country: "DK" };
const order = {
  event_id: "evt-tomorrow-evening",
  locale: "da",
  metadata: { kiosk: "3-0815" },
  customer: { customer_type: "PRIVATE", name: "Vibe Lau", email: "vibe@example.com", address },
  items: [{ type_id: "var-adult", item_type: "VARIANT", quantity: 2 }],
};
const find = async () =>
  (await api("GET", "/v1/bookings?limit=15&sort=-created_at")).data.items?.find(({ metadata }) => metadata?.kiosk === "3-0815");
let booking = await api("POST", "/v1/bookings", order).catch(() => undefined);
if (!booking) {
  const data = await find();
  booking = data ? { ok: true, data } : await api("POST", "/v1/bookings", order);
}
if (booking.ok) {
  await Promise.race([once(confirmed, booking.data.id), sleep(700)]);
  const { data } = await api("GET", `/v1/bookings/${booking.data.id}`);
  console.log(data.status === "ACTIVE" ? "confirmed" : `please ask: ${data.status}`);
} else {
  console.log(`not sold: ${booking.data.code}`);
}
await api("DELETE", `/v1/webhook-subscriptions/${subscription.id}`);
server.close();
server.closeAllConnections();

// A careful program, as a shop would have it: it reads lists, books, follows webhooks, and looks again at night. Each careless program
// beside it differs in one habit.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { ask } from "./ask.mjs";
import { orderOf } from "./order.mjs";

const env = process.env;
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const TIME_OUT_MS = 4000;
const LANGUAGE = "da, en;q=0.8";
const SCOPES =
  "booking.read booking.write event.read experience.read order.read location.read webhook.read webhook.write";

export const careful = {
  scopes: SCOPES,
  language: LANGUAGE,
  timeOut: TIME_OUT_MS,
  receives: true,

  async requestToken(shop) {
    const form = { grant_type: "client_credentials", audience: env.SANDBOX_URL, scope: shop.habits.scopes };
    const keys = { client_id: env.SANDBOX_CLIENT_ID, client_secret: env.SANDBOX_CLIENT_SECRET };
    const answer = await shop.habits.send(shop, env.SANDBOX_TOKEN_URL, {
      method: "POST",
      body: new URLSearchParams({ ...form, ...keys }),
    });
    if (!answer.ok) throw new Error(`no token: ${answer.status}`);
    return (await answer.json()).access_token;
  },

  /** One token for all calls, until it is refused. */
  async token(shop) {
    shop.held ??= shop.habits.requestToken(shop);
    return shop.held;
  },

  /** Waits grow; only what may pass is repeated, and a lost answer only where repeating is safe. */
  async send(shop, url, options, attempt = 0) {
    const isSafe = (options.method ?? "GET") === "GET" || url === env.SANDBOX_TOKEN_URL;
    const answer = await ask(url, { ...options, signal: AbortSignal.timeout(shop.habits.timeOut) }).catch((lost) => {
      if (!isSafe || attempt >= 3) throw lost;
    });
    if (answer === undefined) return shop.habits.send(shop, url, options, attempt + 1);
    if (!shop.habits.isPassing(answer.status) || attempt >= 5) return answer;
    await shop.habits.wait(answer, attempt);
    return shop.habits.send(shop, url, options, attempt + 1);
  },

  isPassing: (status) => status === 429 || status === 503,

  wait: (answer, attempt) => {
    const requested = Number(answer.headers.get("retry-after") ?? 0) * 1000;
    // The second is so much longer that it is on a busy machine, too.
    return sleep(requested > 0 ? requested + 50 : Math.min(800, 4 ** attempt * 100));
  },

  async call(shop, path, options = {}, again = true) {
    const headers = {
      authorization: `Bearer ${await shop.habits.token(shop)}`,
      "accept-language": shop.habits.language,
      "content-type": "application/json",
    };
    const answer = await shop.habits.send(shop, env.SANDBOX_URL + path, { ...options, headers });
    if (answer.status !== 401 || !again) return answer;
    shop.held = undefined;
    return shop.habits.call(shop, path, options, false);
  },

  parse: (body) => body,

  async list(shop, path) {
    const found = new Map();
    let cursor = "";
    do {
      const query = new URLSearchParams({ limit: "60", ...(cursor ? { cursor } : {}) });
      const page = await shop.get(`${path}${path.includes("?") ? "&" : "?"}${query}`);
      for (const item of page.items) found.set(item.id, item);
      const next = shop.habits.cursor(page, 60);
      shop.habits.checkCursor(cursor, next);
      cursor = next;
    } while (cursor !== "");
    return [...found.values()];
  },

  cursor: (page) => page.next ?? "",
  checkCursor(cursor, next) {
    if (next !== "" && next === cursor) throw new Error(`the list does not advance after ${cursor}`);
  },
  checkList: () => {},
  city: (booking) => booking.customer.address?.city ?? "",
  payment: (method) => ({ STRIPE: "card", GIFTCARD: "gift card" })[method] ?? "other",
  metadata: (reference) => ({ order: reference }),

  /** After a lost answer it looks for its reference before it books again. */
  async book(shop, order) {
    const body = JSON.stringify({ ...order.body, metadata: shop.habits.metadata(order.reference) });
    const post = () => shop.habits.call(shop, "/v1/bookings", { method: "POST", body });
    const answer = await post().catch(async () => {
      const { items } = await shop.get("/v1/bookings?sort=-created_at&limit=100");
      const made = items.find((booking) => booking.metadata?.order === order.reference);
      return made ? { ok: true, json: async () => made } : post();
    });
    return answer.ok ? answer.json() : shop.habits.notBooked(shop, order, answer, await answer.json());
  },

  /** The four reasons are told apart. */
  async notBooked(shop, _order, _answer, { code }) {
    if (code === "NOT_ENOUGH_RESOURCES") await shop.get(`/v1/event-availabilities?experienceId=exp-canal&limit=1`);
    if (code === "EVENT_NOT_ACTIVE") await shop.get("/v1/events?limit=1");
    if (code === "EVENT_PAST_CUTOFF") await shop.get("/v1/experiences?limit=1");
    return undefined;
  },

  /** Follows a booking that the host has moved, instead of using its old id. */
  async tickets(shop, booking) {
    const now = await shop.get(`/v1/bookings/${booking.id}`);
    return now.status === "MOVED" ? undefined : shop.get(`/v1/bookings/${booking.id}/tickets`);
  },

  day: (from, to) => ({ from: `${from}T00:00:00`, to: `${to}T00:00:00` }),

  isGenuine(headers, raw) {
    const { "webhook-id": id, "webhook-timestamp": sent, "webhook-signature": signature = "" } = headers;
    if (Math.abs(Date.now() / 1000 - Number(sent)) > 300 || sent === undefined) return false;
    const given = Buffer.from(signature, "base64");
    return shop_secrets().some((secret) => {
      const expected = createHmac("sha256", Buffer.from(secret.replace("whsec_", ""), "base64"))
        .update(`${id}.${sent}.${raw}`)
        .digest();
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  },

  isNew: (shop, id) => !shop.seen.has(id) && shop.seen.add(id),
  knowsKind: (type) => ["v1.booking.created", "v1.booking.updated", "v1.booking.cancelled"].includes(type),
  unknownKind: 204,

  /** A message is a hint: what is so now is read. */
  async handle(shop, { type, payload }) {
    if (type.startsWith("v1.booking."))
      shop.known.set(payload.booking_id, (await shop.get(`/v1/bookings/${payload.booking_id}`)).status);
    shop.handled++;
  },

  async atNight(shop) {
    const bookings = await shop.habits.list(shop, "/v1/bookings");
    for (const { id, status } of bookings) if (shop.mine.has(id)) shop.known.set(id, status);
  },

  async extra() {},
};

let secretOfSubscription;
const shop_secrets = () =>
  (env.SANDBOX_WEBHOOK_SECRETS || env.SANDBOX_WEBHOOK_SECRET || secretOfSubscription).split(" ");

function receiver(shop) {
  return createServer(async (request, response) => {
    let raw = "";
    for await (const chunk of request) raw += chunk;
    const end = (status) => response.writeHead(status).end();
    try {
      if (!shop.habits.isGenuine(request.headers, raw)) return end(401);
      const message = JSON.parse(raw);
      if (!shop.habits.knowsKind(message.type)) return end(shop.habits.unknownKind);
      if (!shop.habits.isNew(shop, request.headers["webhook-id"])) return end(200);
      shop.habits.parse(message, "message");
      end(204);
      shop.work = shop.work.then(() => shop.habits.handle(shop, message)).catch(() => {});
    } catch {
      end(500);
    }
  });
}

const GUESTS = ["Anna Holm", "Bo Lind", "Carla Juhl", "Dan Friis"];

export async function run(habits = careful) {
  const shop = { habits, seen: new Set(), known: new Map(), mine: new Set(), handled: 0, work: Promise.resolve() };
  shop.get = async (path) => {
    const answer = await habits.call(shop, path);
    if (!answer.ok) throw new Error(`GET ${path} answered ${answer.status}: ${await answer.text()}`);
    return habits.parse(await answer.json(), path);
  };
  const server = receiver(shop);
  try {
    await open(shop, server);
    await work(shop);
  } finally {
    server.close();
    server.closeAllConnections();
    console.log(
      `STATE ${JSON.stringify({ known: [...shop.known].map(([, status]) => status).sort(), handled: shop.handled })}`,
    );
  }
}

async function open(shop, server) {
  const port = Number(env.PORT ?? 0);
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  if (env.SANDBOX_WEBHOOK_SECRET || !shop.habits.receives) return;
  const url = `http://127.0.0.1:${server.address().port}/hooks`;
  const body = JSON.stringify({ url, event_types: ["v1.booking.created", "v1.booking.cancelled"], state: "ENABLED" });
  const answer = await shop.habits.call(shop, "/v1/webhook-subscriptions", { method: "POST", body });
  secretOfSubscription = (await answer.json()).secret;
}

async function work(shop) {
  const { habits } = shop;
  const bookings = await habits.list(shop, "/v1/bookings?status=ACTIVE,CANCELLED,CHECKED_IN");
  habits.checkList(bookings);
  for (const booking of bookings) habits.city(booking);
  await shop.get("/v1/experiences?limit=5");
  const { items: orders } = await shop.get("/v1/orders?limit=3");
  for (const { id } of orders)
    for (const { provider } of (await shop.get(`/v1/orders/${id}/transactions`)).items) habits.payment(provider);
  await shop.get(`/v1/events?${new URLSearchParams(habits.day("2030-06-03", "2030-06-04"))}`);
  await shop.get("/v1/event-availabilities?experienceId=exp-canal&limit=3");
  await habits.extra(shop);
  for (const [at, name] of GUESTS.entries()) {
    const order = { reference: `order-${at}`, body: orderOf(name) };
    await shop.get(`/v1/event-availabilities/${order.body.event_id}`);
    const booking = await habits.book(shop, order);
    if (!booking) continue;
    shop.mine.add(booking.id);
    await habits.tickets(shop, booking);
  }
  for (let waited = 0; waited < 2500 && shop.handled < shop.mine.size; waited += 25) await sleep(25);
  await shop.work;
  await habits.atNight(shop);
}

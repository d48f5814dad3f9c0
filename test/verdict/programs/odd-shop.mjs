// The careful program with habits that no check is about: odd, at times careless, never harmful to what the sandbox keeps. The
// environment names the habit.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, get } from "node:http";
import { gunzipSync } from "node:zlib";
import { EVENT, orderOf } from "./order.mjs";
import { careful, run } from "./shop.mjs";

/** As a client does that unpacks by itself. */
const unpacked = (url, headers) =>
  new Promise((resolve, reject) => {
    const options = { headers: { ...headers, "accept-encoding": "gzip" }, agent: false, timeout: 4000 };
    const request = get(url, options, async (answer) => {
      const raw = Buffer.concat(await answer.toArray());
      resolve((answer.headers["content-encoding"] === "gzip" ? gunzipSync(raw) : raw).toString("utf8"));
    });
    request.on("timeout", () => request.destroy(new Error("timeout"))).on("error", reject);
  });

/** The port is the same for all threads of a process. */
async function taken() {
  taken.server ??= createServer().listen(20_000 + (process.pid % 10_000), "127.0.0.1");
  if (!taken.server.listening) await once(taken.server.unref(), "listening");
}

const KNOWN = new Set(["id", "items", "next", "status", "customer", "created_at", "name", "type", "payload"]);
const NAMES = careful.scopes.split(" ");
let requested = 0;

export const odd = {
  "floats for money": {
    async extra(shop) {
      const { items: orders } = await shop.get("/v1/orders?limit=10");
      let sum = 0;
      for (const { id } of orders) {
        const { items } = await shop.get(`/v1/orders/${id}/transactions`);
        for (const { amount } of items) sum += (amount.value / 100) * 0.2;
      }
      console.log(`the tax is ${sum}`);
    },
  },
  "dates compared as texts": {
    async extra(shop) {
      const { items } = await shop.get("/v1/events?limit=20");
      const [first] = items.sort((a, b) => (JSON.stringify(a.sessions) < JSON.stringify(b.sessions) ? -1 : 1));
      if (first) await shop.get(`/v1/events/${first.id}`);
    },
  },
  "the first item is the newest": {
    async extra(shop) {
      const { items } = await shop.get("/v1/bookings?limit=3");
      await shop.get(`/v1/bookings/${items[0].id}`);
    },
  },
  "a slash at the end of a path": {
    async extra(shop) {
      const answer = await shop.habits.call(shop, "/v1/experiences/?limit=1");
      if (!answer.ok) await shop.get("/v1/experiences?limit=1");
    },
  },
  "a content type in odd case": {
    send(shop, url, options, attempt) {
      const headers = { ...options.headers, "content-type": "Application/JSON; Charset=UTF-8" };
      return careful.send(shop, url, options.headers ? { ...options, headers } : options, attempt);
    },
  },
  "gzip is asked for": {
    async extra(shop) {
      const headers = { authorization: `Bearer ${await shop.habits.token(shop)}`, "accept-language": "da" };
      const text = await unpacked(`${process.env.SANDBOX_URL}/v1/experiences?limit=5`, headers).catch(() => "null");
      console.log(`${text.length} characters`);
    },
  },
  "own ids, new in every run": {
    metadata: (order) => ({ order, cart: randomUUID(), sent_at: String(Date.now()) }),
  },
  "what is unknown is logged": {
    parse(body, path) {
      for (const name of Object.keys(body))
        if (!KNOWN.has(name)) console.log(`Error? ${path} has an undefined ${name}`);
      return body;
    },
  },
  "scopes in another order each time": {
    async requestToken(shop) {
      const turn = requested++ % NAMES.length;
      const scopes = [...NAMES.slice(turn), ...NAMES.slice(0, turn)].join(" ");
      return careful.requestToken({ ...shop, habits: { ...shop.habits, scopes } });
    },
  },
  "the last five beside the whole list": {
    async extra(shop) {
      const { items } = await shop.get("/v1/bookings?limit=5&sort=-created_at");
      for (const { id } of items.slice(0, 3)) await shop.get(`/v1/bookings/${id}`);
    },
  },
  "four looks before it books, and a full event once more": {
    async extra(shop) {
      for (const id of ["evt-evening", "evt-on-the-water", EVENT, "evt-sold-out"])
        await shop.get(`/v1/event-availabilities/${id}`);
      for (let attempt = 0; attempt < 2; attempt++)
        await shop.habits.book(shop, { reference: "full", body: { ...orderOf("Eva Dam"), event_id: "evt-sold-out" } });
    },
  },
  "its booking is found by its own reference": {
    async tickets(shop, booking) {
      const { metadata } = await shop.get(`/v1/bookings/${booking.id}`);
      if (!metadata.order.startsWith("order-")) throw new Error("not mine");
      return careful.tickets(shop, booking);
    },
  },
  "a fixed port": {
    async token(shop) {
      shop.held ??= taken().then(() => shop.habits.requestToken(shop));
      return shop.held;
    },
  },
  "only the first page": {
    async list(shop, path) {
      return (await shop.get(`${path}${path.includes("?") ? "&" : "?"}limit=100`)).items;
    },
  },
  "an empty cursor for the first page": {
    async list(shop, path) {
      const found = [];
      for (let cursor = ""; ; ) {
        const page = await shop.get(
          `${path}${path.includes("?") ? "&" : "?"}limit=60&cursor=${encodeURIComponent(cursor)}`,
        );
        found.push(...page.items);
        if (!page.next) return found;
        cursor = page.next;
      }
    },
  },
  "the same read from several parts at once": {
    async extra(shop) {
      await Promise.all(Array.from({ length: 4 }, () => shop.get("/v1/experiences?limit=5")));
    },
  },
  "every order is read, one by one": {
    async extra(shop) {
      const { items } = await shop.get("/v1/orders?limit=15");
      for (const { id } of items) await shop.get(`/v1/orders/${id}`);
    },
  },
  "names new in every run": {
    async book(shop, order) {
      const customer = { ...order.body.customer, name: `Guest ${randomUUID()}` };
      return careful.book(shop, { ...order, body: { ...order.body, customer } });
    },
  },
  "a guest books twice, and means it": {
    async book(shop, order) {
      await careful.book(shop, order);
      return careful.book(shop, { ...order, reference: `${order.reference}-again` });
    },
  },
  "a booking is read again and again": {
    async tickets(shop, booking) {
      for (let read = 0; read < 3; read++) await shop.get(`/v1/bookings/${booking.id}`);
      return careful.tickets(shop, booking);
    },
  },
  "a token for reading and one for writing": {
    async call(shop, path, options = {}, again = true) {
      const isWrite = options.method === "POST";
      shop.parts ??= new Map();
      if (!shop.parts.has(isWrite)) {
        const scopes = NAMES.filter((name) => name.endsWith(isWrite ? ".write" : ".read")).join(" ");
        shop.parts.set(isWrite, { ...shop, habits: { ...shop.habits, scopes, call: careful.call } });
      }
      return careful.call(shop.parts.get(isWrite), path, options, again);
    },
  },
};

const { HABIT } = process.env;
if (HABIT) await run({ ...careful, ...odd[HABIT] });

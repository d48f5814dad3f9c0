// A careful program that keeps what it needs of the company in a file, as a reseller's back office would. Its styles, and each way to be
// careless in one thing, are habits that differ from these; STYLE and HABIT name them.
import { createHmac, timingSafeEqual } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { ask } from "../programs/ask.mjs";
import { careless, styles } from "./habits.mjs";

const env = process.env;
const FILE = join(env.SANDBOX_RUN_FOLDER, "state.json");
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const SCOPE =
  "booking.read booking.write event.read experience.read order.read location.read gift-card.read webhook.read";

const careful = {
  file: {
    read: () => (existsSync(FILE) ? JSON.parse(readFileSync(FILE, "utf8")) : {}),
    write(state) {
      writeFileSync(`${FILE}.new`, JSON.stringify(state));
      renameSync(`${FILE}.new`, FILE);
    },
  },

  async token(shop) {
    const form = { grant_type: "client_credentials", audience: env.SANDBOX_URL, scope: SCOPE };
    const keys = { client_id: env.SANDBOX_CLIENT_ID, client_secret: env.SANDBOX_CLIENT_SECRET };
    shop.token ??= shop.habits
      .send(shop, env.SANDBOX_TOKEN_URL, { method: "POST", body: new URLSearchParams({ ...form, ...keys }) }, true)
      .then((answer) => answer.json())
      .then(({ access_token }) => access_token);
    return shop.token;
  },

  /** Waits grow; what may have been done is not sent again. */
  async send(shop, url, options, isSafe, attempt = 0) {
    const answer = await ask(url, { ...options, signal: AbortSignal.timeout(4000) }).catch((lost) => {
      if (!isSafe || attempt >= 5) throw lost;
    });
    if (answer && ![429, 503].includes(answer.status)) return answer;
    if (attempt >= 7) return answer;
    const requested = Number(answer?.headers.get("retry-after") ?? 0) * 1000;
    await sleep(requested || 20 * 2 ** attempt);
    return shop.habits.send(shop, url, options, isSafe, attempt + 1);
  },

  async call(shop, path, options = {}, attempt = 0) {
    const token = await shop.habits.token(shop).catch((lost) => {
      shop.token = undefined;
      throw lost;
    });
    const headers = { authorization: `Bearer ${token}`, "accept-language": "en", "content-type": "application/json" };
    const isSafe = options.method === undefined;
    const answer = await shop.habits.send(shop, env.SANDBOX_URL + path, { ...options, headers }, isSafe);
    if (answer.status !== 401 || attempt >= 3) return answer;
    shop.token = undefined;
    return shop.habits.call(shop, path, options, attempt + 1);
  },

  async get(shop, path) {
    const answer = await shop.habits.call(shop, path);
    if (!answer.ok) throw new Error(`GET ${path} answered ${answer.status}`);
    return answer.json();
  },

  /** To its end; what comes twice counts once. */
  async *pages(shop, path) {
    let cursor = "";
    do {
      const query = new URLSearchParams({ limit: "50", ...(cursor ? { cursor } : {}) });
      const page = await shop.habits.get(shop, `${path}${path.includes("?") ? "&" : "?"}${query}`);
      yield page.items;
      cursor = page.next ?? "";
    } while (cursor !== "");
  },

  keep(shop, { id, status, event_id }) {
    shop.state.bookings[id] = { ...shop.state.bookings[id], id, status, event_id };
  },

  async readAll(shop) {
    for await (const items of shop.habits.pages(shop, "/v1/bookings"))
      for (const booking of items) shop.habits.keep(shop, booking);
    shop.habits.file.write(shop.state);
  },

  async money(shop) {
    for await (const items of shop.habits.pages(shop, "/v1/orders"))
      for (const order of items) shop.habits.keepMoney(shop, order);
    shop.habits.file.write(shop.state);
  },

  keepMoney({ state }, { origin, totals }) {
    const booking = state.bookings[origin.id];
    if (origin.type === "BOOKING" && booking) booking.total = totals.amount.value;
  },

  secrets: () => (env.SANDBOX_WEBHOOK_SECRETS ?? env.SANDBOX_WEBHOOK_SECRET).split(" "),

  isGenuine(shop, headers, raw) {
    const { "webhook-id": id, "webhook-timestamp": sent, "webhook-signature": signature = "" } = headers;
    const given = Buffer.from(signature, "base64");
    return shop.habits.secrets().some((secret) => {
      const key = Buffer.from(secret.replace("whsec_", ""), "base64");
      const expected = createHmac("sha256", key).update(`${id}.${sent}.${raw}`).digest();
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  },

  isNew({ state }, id) {
    if (state.seen.includes(id)) return false;
    state.seen.push(id);
    return true;
  },

  /** Answers at once; the work is done one after the other. */
  take(shop, message) {
    shop.work = shop.work.then(() => shop.habits.handle(shop, message)).catch(() => {});
  },

  /** A message is a hint: what is so now is read. */
  async handle(shop, { type, payload }) {
    if (!type.startsWith("v1.booking.")) return;
    shop.habits.keep(shop, await shop.habits.get(shop, `/v1/bookings/${payload.booking_id}`));
    shop.habits.file.write(shop.state);
  },

  receives: true,
  /** Beside the receiver: at the beginning, and each night. */
  async nightly(shop) {
    await shop.habits.readAll(shop);
  },
  async every() {},
};

function receiver(shop) {
  const { habits } = shop;
  return createServer(async (request, response) => {
    let raw = "";
    for await (const chunk of request) raw += chunk;
    if (!habits.isGenuine(shop, request.headers, raw)) return response.writeHead(401).end();
    if (habits.isNew(shop, request.headers["webhook-id"])) habits.take(shop, JSON.parse(raw));
    response.writeHead(204).end();
  });
}

const [style, carelessness = () => ({})] = careless[env.HABIT] ?? [env.STYLE];
const styled = { ...careful, ...styles[style](careful) };
const chosen = { ...styled, ...carelessness(styled) };
const shop = { habits: chosen, work: Promise.resolve(), state: { bookings: {}, seen: [], ...chosen.file.read() } };
if (chosen.receives) receiver(shop).listen(Number(env.PORT), "127.0.0.1");

/** Real milliseconds between two nights. */
const NIGHT_MS = Math.min(400, Number(env.SANDBOX_DAY_MS));
for (let turn = 0; ; turn++) {
  shop.work = shop.work.then(() => chosen.nightly(shop, turn)).catch(() => {});
  await shop.work;
  await chosen.every(shop).catch(() => {});
  await sleep(NIGHT_MS);
}

// The tests of a shop, for the runner of Node: what a team has that judges its client by its own expectations.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { EVENT, orderOf } from "../order.mjs";

const env = process.env;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

class Shop {
  async open() {
    const body = new URLSearchParams({
      grant_type: "client_credentials",
      audience: env.SANDBOX_URL,
      client_id: env.SANDBOX_CLIENT_ID,
      client_secret: env.SANDBOX_CLIENT_SECRET,
      scope: "booking.read booking.write event.read",
    });
    const answer = await this.patiently(env.SANDBOX_TOKEN_URL, { method: "POST", body }, true);
    assert.equal(answer.status, 200, "a token is issued");
    this.token = (await answer.json()).access_token;
  }
  async patiently(url, init, isSafe) {
    for (let attempt = 0; ; attempt++) {
      const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(4000) }).catch((lost) => {
        if (!isSafe || attempt === 4) throw lost;
      });
      if (answer && ![429, 503].includes(answer.status)) return answer;
      assert.ok(attempt < 6, `${url} answers ${answer?.status} for long`);
      await pause(Math.max(Number(answer?.headers.get("retry-after") ?? 0) * 1000 + 30, 110 * 2 ** attempt));
    }
  }
  async call(method, path, body, isRenewed = false) {
    const headers = {
      authorization: `Bearer ${this.token}`,
      "accept-language": "da",
      "content-type": "application/json",
    };
    const init = { method, headers, body: body && JSON.stringify(body) };
    const answer = await this.patiently(env.SANDBOX_URL + path, init, method === "GET");
    if (answer.status !== 401 || isRenewed) return answer;
    await this.open();
    return this.call(method, path, body, true);
  }
  async get(path) {
    const answer = await this.call("GET", path);
    assert.ok(answer.ok, `${path} answers ${answer.status}`);
    return answer.json();
  }
  async all(path) {
    const found = new Map();
    for (let cursor = ""; cursor !== undefined; ) {
      const page = await this.get(`${path}?limit=60${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
      for (const item of page.items) found.set(item.id, item);
      cursor = page.next || undefined;
    }
    return [...found.values()];
  }
  async book(order) {
    const answer = await this.call("POST", "/v1/bookings", order).catch(() => undefined);
    if (answer?.ok) return answer.json();
    if (answer) return { refused: (await answer.json()).code };
    const { items } = await this.get("/v1/bookings?sort=-created_at&limit=50");
    const made = items.find(({ metadata }) => metadata?.cart === order.metadata.cart);
    return made ?? (await this.call("POST", "/v1/bookings", order)).json();
  }
}

describe("The shop", () => {
  const shop = new Shop();
  let booked;
  before(() => shop.open());
  after(() => console.log("done"));

  it("lists every booking once", async () => {
    const bookings = await shop.all("/v1/bookings");
    assert.equal(new Set(bookings.map(({ id }) => id)).size, bookings.length);
  });

  it("books where there is room, or says why not", async () => {
    await shop.get(`/v1/event-availabilities/${EVENT}`);
    booked = await shop.book({ ...orderOf("Kirsten Bo"), metadata: { cart: `cart-${Date.now()}` } });
    assert.ok(booked.id || booked.refused);
    if (booked.refused === "NOT_ENOUGH_RESOURCES") await shop.get(`/v1/event-availabilities/${EVENT}`);
  });

  it("finds its booking again, or where it was moved to", async () => {
    if (!booked.id) return;
    const { status, id } = await shop.get(`/v1/bookings/${booked.id}`);
    assert.equal(id, booked.id);
    if (status !== "MOVED") await shop.get(`/v1/bookings/${id}/tickets`);
  });
});

// The tests of a small storefront, written with node:test, beside the code that they test.
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";

class Storefront {
  #token;

  async #send(url, init, tries = 5) {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(6000) });
    if (tries === 0 || (response.status !== 429 && response.status !== 503)) return response;
    const seconds = Number(response.headers.get("retry-after")) || 0.1 * 2 ** (6 - tries);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000 + 20));
    return this.#send(url, init, tries - 1);
  }

  async #login() {
    const form = new URLSearchParams({
      grant_type: "client_credentials",
      audience: process.env.SANDBOX_URL,
      client_id: process.env.SANDBOX_CLIENT_ID,
      client_secret: process.env.SANDBOX_CLIENT_SECRET,
      scope: "experience.read event.read",
    });
    const response = await this.#send(process.env.SANDBOX_TOKEN_URL, { method: "POST", body: form });
    assert.equal(response.status, 200, "signing in works");
    this.#token = (await response.json()).access_token;
  }

  async get(path, language = "da, en;q=0.7") {
    if (!this.#token) await this.#login();
    const read = () =>
      this.#send(process.env.SANDBOX_URL + path, {
        headers: { authorization: `Bearer ${this.#token}`, "accept-language": language },
      });
    let response = await read();
    if (response.status === 401) {
      await this.#login();
      response = await read();
    }
    if (response.status === 404) return null;
    if (!response.ok) throw new Error(`${path} responds ${response.status}`);
    return response.json();
  }

  async programme(day, nextDay) {
    const { items } = await this.get(`/v1/events?from=${day}T00:00:00&to=${nextDay}T00:00:00`);
    return items.filter(({ state }) => state === "ACTIVE").map(({ id }) => id);
  }
}

describe("The storefront", () => {
  const shop = new Storefront();
  let canal;
  before(async () => {
    canal = await shop.get("/v1/experiences/exp-canal");
  });

  it("shows the canal tour", () => assert.ok(canal.id));
  it("shows its prices", async () => {
    const { items } = await shop.get("/v1/experiences/exp-canal/ticket-variants");
    assert.ok(items.length > 1);
  });
  it("has no page for a tour that is gone", async () =>
    assert.equal(await shop.get("/v1/experiences/exp-ice-swim"), null));
  it("lists a day", async () => assert.ok(Array.isArray(await shop.programme("2030-06-05", "2030-06-06"))));
});

// The backend of a small page, with Express: the page asks for tours and books; the backend keeps tokens and cursors to itself.
// The program asks itself, as a browser would.
import express from "express";

const { env } = process;
class Upstream {
  #token;
  async #send(url, init) {
    const isSafe = !init.method || url === env.SANDBOX_TOKEN_URL;
    for (let n = 0; ; n++) {
      try {
        const response = await fetch(url, { ...init, signal: AbortSignal.timeout(5000) });
        if (n === 6 || (response.status !== 429 && response.status !== 503)) return response;
        await wait(Math.max(1000 * response.headers.get("retry-after"), 75 * 2 ** n));
      } catch (error) {
        if (!isSafe || n === 6) throw error;
        await wait(75 * 2 ** n);
      }
    }
  }
  async #renew() {
    const form = { grant_type: "client_credentials", audience: env.SANDBOX_URL, scope: "experience.read booking.read booking.write event.read" };
    const body = new URLSearchParams({ ...form, client_id: env.SANDBOX_CLIENT_ID, client_secret: env.SANDBOX_CLIENT_SECRET });
    this.#token = (await (await this.#send(env.SANDBOX_TOKEN_URL, { method: "POST", body })).json()).access_token;
  }
  async call(path, { method, json, language = "en" } = {}) {
    for (let n = 0; ; n++) {
      if (!this.#token) await this.#renew();
      const headers = { authorization: `Bearer ${this.#token}`, "accept-language": language, "content-type": "application/json" };
      const response = await this.#send(env.SANDBOX_URL + path, { method, headers, body: json && JSON.stringify(json) });
      if (response.status !== 401 || n === 2) return { status: response.status, data: await response.json() };
      this.#token = undefined;
    }
  }
}
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const upstream = new Upstream();

const app = express().use(express.json());
app.get("/tours", async (request, response) => {
  const { status, data } = await upstream.call("/v1/experiences?limit=6", { language: request.get("accept-language") });
  response.status(status).json(data.items?.map(({ id, name }) => ({ id, name: name ?? id })) ?? []);
});
app.post("/basket/:basket", async (request, response) => {
  const { basket } = request.params;
  const json = { ...request.body, locale: "da", metadata: { basket } };
  let made = await upstream.call("/v1/bookings", { method: "POST", json }).catch(() => undefined);
  if (!made) {
    const { data } = await upstream.call("/v1/bookings?sort=-created_at&limit=20");
    const found = data.items?.find(({ metadata }) => metadata?.basket === basket);
    made = found ? { status: 201, data: found } : await upstream.call("/v1/bookings", { method: "POST", json });
  }
  if (made.data.code === "NOT_ENOUGH_RESOURCES") await upstream.call(`/v1/event-availabilities/${json.event_id}`);
  response.status(made.status).json(made.status === 201 ? { booking: made.data.id } : { reason: made.data.code });
});

const server = app.listen(0, "127.0.0.1", async () => {
  const own = `http://127.0.0.1:${server.address().port}`;
  const tours = await (await fetch(`${own}/tours`, { headers: { "accept-language": "da, en;q=0.8" } })).json();
  const address = { address_lines: ["Bygaden 20"], city: "Lemvig", zip_code: "7620", country: "DK" };
  const customer = { customer_type: "PRIVATE", name: "Signe Bak", email: "signe@example.com", address };
  const items = [{ type_id: "var-adult", item_type: "VARIANT", quantity: 1 }];
  const init = { method: "POST", headers: { "content-type": "application/json" } };
  const booked = await fetch(`${own}/basket/b-7`, { ...init, body: JSON.stringify({ event_id: "evt-tomorrow-evening", customer, items }) });
  console.log(tours.length, "tours;", booked.status, await booked.text());
  server.close();
  server.closeAllConnections();
});

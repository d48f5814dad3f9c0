// Books, reads the booking again for the confirmation, and fetches its tickets whatever its status is.
const { env } = process;
const later = (ms) => new Promise((done) => setTimeout(done, ms));

class Api {
  async fetch(method, url, options = {}) {
    for (let n = 0; ; n++) {
      try {
        const response = await fetch(url, { method, ...options, signal: AbortSignal.timeout(6000) });
        if ((response.status !== 429 && response.status !== 503) || n > 5) return response;
        await later(Math.max(Number(response.headers.get("retry-after")) * 1000, 100 * 2 ** n));
      } catch (lost) {
        if (method !== "GET" || n > 5) throw lost;
        await later(100 * 2 ** n);
      }
    }
  }

  async login() {
    const body = new URLSearchParams({ grant_type: "client_credentials", audience: env.SANDBOX_URL, client_id: env.SANDBOX_CLIENT_ID, client_secret: env.SANDBOX_CLIENT_SECRET, scope: "booking.read booking.write" });
    this.token = (await (await this.fetch("POST", env.SANDBOX_TOKEN_URL, { body })).json()).access_token;
  }

  async call(method, path, json) {
    if (!this.token) await this.login();
    const send = () =>
      this.fetch(method, env.SANDBOX_URL + path, {
        headers: { authorization: `Bearer ${this.token}`, "content-type": "application/json" },
        body: json && JSON.stringify(json),
      });
    let response = await send();
    if (response.status === 401) {
      await this.login();
      response = await send();
    }
    const data = await response.json();
    if (!response.ok) throw Object.assign(new Error(`${path}: ${data.code}`), { status: response.status });
    return data;
  }
}

const api = new Api();
const reference = "mobile-4711";
const find = async () =>
  (await api.call("GET", "/v1/bookings?sort=-created_at&limit=10")).items.find(({ metadata }) => metadata?.reference === reference);
const booking = await api
  .call("POST", "/v1/bookings", {
    event_id: "evt-tomorrow-evening",
    locale: "da",
    metadata: { reference },
    customer: {
      customer_type: "PRIVATE",
      name: "Lea Storm",
      email: "lea@example.com",
      address: { address_lines: ["Fyrvej 2"], city: "Hanstholm", zip_code: "7730", country: "DK" },
    },
    items: [{ type_id: "var-adult", item_type: "VARIANT", quantity: 1 }],
  })
  .catch(async (error) => {
    if (error.status) throw error;
    const made = await find();
    if (!made) throw error;
    return made;
  });
const confirmed = await api.call("GET", `/v1/bookings/${booking.id}`);
console.log(confirmed.customer?.name ?? "", confirmed.status ?? "");
const { items } = await api.call("GET", `/v1/bookings/${booking.id}/tickets`);
console.log(`${items.length} tickets`);

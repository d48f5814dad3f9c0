// A shop on an SDK as vendors write them: a client with resources, error classes, and lists for `for await`.
import { randomUUID } from "node:crypto";

const EVENT = "evt-tomorrow-evening";

const createOrder = (name) => ({
  event_id: EVENT,
  locale: "da",
  customer: {
    customer_type: "PRIVATE",
    name,
    email: `${name.split(" ")[0].toLowerCase()}@example.com`,
    phone: "+4520123456",
    address: { address_lines: ["Nyhavn 12"], city: "København", zip_code: "1051", country: "DK" },
  },
  items: [{ type_id: "var-adult", item_type: "VARIANT", quantity: 1 }],
});

const env = process.env;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

class ApiError extends Error {
  constructor(status, body) {
    super(`${status} ${body?.code ?? ""} ${body?.message ?? ""}`);
    Object.assign(this, { status, code: body?.code });
  }
}
class ConflictError extends ApiError {}
class ConnectionError extends Error {}

class Client {
  #token;
  constructor({ baseUrl, language, timeout = 5000, maxRetries = 5 }) {
    Object.assign(this, { baseUrl, language, timeout, maxRetries });
    this.bookings = new Bookings(this);
    this.events = new Events(this);
  }

  /** A write whose answer was lost is the caller's to look for; everything else is sent again. */
  async #send(url, init, isRepeatable) {
    for (let attempt = 0; ; attempt++) {
      const signal = AbortSignal.timeout(this.timeout);
      const answer = await fetch(url, { ...init, signal }).catch((cause) => cause);
      if (answer instanceof Error && (!isRepeatable || attempt === this.maxRetries))
        throw new ConnectionError("no answer", { cause: answer });
      if (!(answer instanceof Error) && ![429, 503].includes(answer.status)) return answer;
      if (attempt === this.maxRetries) return answer;
      const requested = answer instanceof Error ? 0 : Number(answer.headers.get("retry-after") ?? 0) * 1000;
      await pause(Math.max(requested + 20, 120 * 2 ** attempt));
    }
  }

  async #authenticate() {
    const body = new URLSearchParams({
      grant_type: "client_credentials",
      audience: this.baseUrl,
      client_id: env.SANDBOX_CLIENT_ID,
      client_secret: env.SANDBOX_CLIENT_SECRET,
      scope: "booking.read booking.write event.read",
    });
    const answer = await this.#send(env.SANDBOX_TOKEN_URL, { method: "POST", body }, true);
    if (!answer.ok) throw new ApiError(answer.status);
    return (await answer.json()).access_token;
  }

  async request(method, path, { query = {}, body } = {}, isRenewed = false) {
    this.#token ??= this.#authenticate();
    const held = this.#token;
    const url = new URL(path, this.baseUrl);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
    const headers = { authorization: `Bearer ${await held}`, "accept-language": this.language };
    const init = { method, headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body) };
    const answer = await this.#send(url, init, method === "GET");
    if (answer.status === 401 && !isRenewed) {
      if (this.#token === held) this.#token = undefined;
      return this.request(method, path, { query, body }, true);
    }
    const given = await answer.json().catch(() => undefined);
    if (answer.ok) return given;
    throw answer.status === 409 ? new ConflictError(409, given) : new ApiError(answer.status, given);
  }
}

class Resource {
  constructor(client) {
    this.client = client;
  }
  async *list(query = {}) {
    let cursor;
    do {
      const page = await this.client.request("GET", this.path, { query: { limit: 60, ...query, cursor } });
      yield* page.items;
      cursor = page.next;
    } while (cursor);
  }
  retrieve(id) {
    return this.client.request("GET", `${this.path}/${id}`);
  }
}

class Events extends Resource {
  path = "/v1/events";
  left(id) {
    return this.client.request("GET", `/v1/event-availabilities/${id}`);
  }
}

class Bookings extends Resource {
  path = "/v1/bookings";
  async create(order, reference = randomUUID()) {
    const body = { ...order, metadata: { reference } };
    try {
      return await this.client.request("POST", this.path, { body });
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      const query = { sort: "-created_at", limit: 50 };
      const { items } = await this.client.request("GET", this.path, { query });
      const made = items.find(({ metadata }) => metadata?.reference === reference);
      return made ?? this.client.request("POST", this.path, { body });
    }
  }
  tickets(id) {
    return this.client.request("GET", `${this.path}/${id}/tickets`);
  }
}

const client = new Client({ baseUrl: env.SANDBOX_URL, language: "da" });
let count = 0;
for await (const { status } of client.bookings.list()) if (status === "ACTIVE") count++;
for (const name of ["Eva Lund", "Finn Krag"]) {
  await client.events.left(EVENT);
  try {
    const { id } = await client.bookings.create(createOrder(name));
    const { status } = await client.bookings.retrieve(id);
    if (status !== "MOVED") await client.bookings.tickets(id);
    count++;
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    if (error.code === "NOT_ENOUGH_RESOURCES") await client.events.left(EVENT);
    else console.log(`not booked: ${error.message}`);
  }
}
console.log(`${count} bookings`);

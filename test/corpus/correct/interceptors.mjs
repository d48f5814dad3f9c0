// A shop with one request function and interceptors for the token, for repetitions and for errors.
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

function createClient({ baseURL = "", timeout, headers = {} }) {
  const before = [];
  const failed = [];
  async function request(config) {
    let sent = { method: "get", ...config, headers: { ...headers, ...config.headers } };
    for (const change of before) sent = await change(sent);
    try {
      const url = new URL(sent.url, baseURL || undefined);
      for (const [name, value] of Object.entries(sent.params ?? {})) url.searchParams.set(name, value);
      const signal = AbortSignal.timeout(timeout);
      const answer = await fetch(url, {
        method: sent.method.toUpperCase(),
        headers: sent.headers,
        body: sent.data,
        signal,
      });
      const text = await answer.text();
      const response = { status: answer.status, headers: answer.headers, data: text ? JSON.parse(text) : undefined };
      if (answer.ok) return response;
      throw Object.assign(new Error(`Request failed with status code ${answer.status}`), { response });
    } catch (error) {
      let problem = Object.assign(error, { config: sent });
      for (const handle of failed) {
        try {
          return await handle(problem);
        } catch (next) {
          problem = next;
        }
      }
      throw problem;
    }
  }
  return {
    request,
    get: async (url, params) => (await request({ url, params })).data,
    post: async (url, data) => (await request({ url, method: "post", data: JSON.stringify(data) })).data,
    interceptors: {
      request: { use: (change) => before.push(change) },
      response: { use: (_, handle) => failed.push(handle) },
    },
  };
}

/** Waits double. A write is repeated only where the service said that it did nothing. */
function retries(client) {
  client.interceptors.response.use(undefined, async (error) => {
    const { config, response } = error;
    const attempt = config.attempt ?? 0;
    const isRead = config.method === "get" || config.url === env.SANDBOX_TOKEN_URL;
    const isPassing = response ? [429, 503].includes(response.status) : isRead;
    if (!isPassing || attempt >= 5) throw error;
    const requested = Number(response?.headers.get("retry-after") ?? 0) * 1000;
    await new Promise((resolve) => setTimeout(resolve, Math.max(requested + 50, 150 * 2 ** attempt)));
    return client.request({ ...config, attempt: attempt + 1 });
  });
}

const auth = createClient({ timeout: 4000 });
retries(auth);

let pending;
async function login() {
  const { data } = await auth.request({
    url: env.SANDBOX_TOKEN_URL,
    method: "post",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    data: new URLSearchParams({
      grant_type: "client_credentials",
      audience: env.SANDBOX_URL,
      client_id: env.SANDBOX_CLIENT_ID,
      client_secret: env.SANDBOX_CLIENT_SECRET,
      scope: "booking.read booking.write event.read",
    }).toString(),
  });
  return data.access_token;
}

const api = createClient({
  baseURL: env.SANDBOX_URL,
  timeout: 4000,
  headers: { "accept-language": "da, en;q=0.8", "content-type": "application/json" },
});
api.interceptors.request.use(async (config) => {
  pending ??= login();
  return { ...config, headers: { ...config.headers, authorization: `Bearer ${await pending}` } };
});
api.interceptors.response.use(undefined, async (error) => {
  if (error.response?.status !== 401 || error.config.renewed) throw error;
  pending = undefined;
  return api.request({ ...error.config, renewed: true });
});
retries(api);

const GUESTS = ["Ida Munk", "Jens Bak"];
/** No answer says nothing about the booking: it is looked for by the number of the cart before it is made again. */
async function book(order) {
  try {
    return await api.post("/v1/bookings", order);
  } catch (error) {
    if (error.response) return refused(error.response);
    const { items } = await api.get("/v1/bookings", { sort: "-created_at", limit: 50 });
    return items.find(({ metadata }) => metadata?.cart === order.metadata.cart) ?? api.post("/v1/bookings", order);
  }
}

async function refused({ status, data }) {
  if (status !== 409) throw new Error(`booking refused: ${status} ${data?.message}`);
  if (data.code === "NOT_ENOUGH_RESOURCES") await api.get(`/v1/event-availabilities/${EVENT}`);
  else await api.get("/v1/events", { limit: 3 });
  return undefined;
}

const { items: upcoming } = await api.get("/v1/events", { from: "2030-06-04T00:00:00", to: "2030-06-05T00:00:00" });
console.log(`${upcoming.length} events tomorrow`);
for (const name of GUESTS) {
  await api.get(`/v1/event-availabilities/${EVENT}`);
  const booking = await book({ ...createOrder(name), metadata: { cart: randomUUID() } });
  const now = booking && (await api.get(`/v1/bookings/${booking.id}`));
  if (now && now.status !== "MOVED") await api.get(`/v1/bookings/${now.id}/tickets`);
}

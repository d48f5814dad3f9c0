// A shop with a typed client that is made from a specification: openapi-fetch, with middleware for the token.
import createClient from "openapi-fetch";
import { EVENT, orderOf } from "../order.mjs";

const env = process.env;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Under the client: time-outs, and what is busy is asked again. No answer to a POST is told to who sent it. */
async function patient(request) {
  for (let attempt = 0; ; attempt++) {
    const last = attempt === 5;
    const answer = await fetch(request.clone(), { signal: AbortSignal.timeout(4000) }).catch((lost) => {
      if (last || request.method === "POST") throw lost;
    });
    if (answer && (last || (answer.status !== 429 && answer.status !== 503))) return answer;
    await pause(Math.max(Number(answer?.headers.get("retry-after") ?? 0) * 1000 + 40, 130 * 2 ** attempt));
  }
}

let token;
async function fresh() {
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    audience: env.SANDBOX_URL,
    client_id: env.SANDBOX_CLIENT_ID,
    client_secret: env.SANDBOX_CLIENT_SECRET,
    scope: "booking.read booking.write event.read",
  });
  for (let attempt = 0; ; attempt++) {
    const answer = await patient(new Request(env.SANDBOX_TOKEN_URL, { method: "POST", body })).catch((lost) => {
      if (attempt === 3) throw lost;
    });
    if (answer?.ok) return (await answer.json()).access_token;
    if (answer) throw new Error(`no token: ${answer.status}`);
    await pause(200 * 2 ** attempt);
  }
}

const client = createClient({
  baseUrl: env.SANDBOX_URL,
  headers: { "Accept-Language": "da" },
  async fetch(request) {
    const send = async () => {
      token ??= fresh();
      const signed = request.clone();
      signed.headers.set("Authorization", `Bearer ${await token}`);
      return patient(signed);
    };
    const answer = await send();
    if (answer.status !== 401) return answer;
    token = undefined;
    return send();
  },
});

const reported = ({ data, error, response }) => {
  if (error) throw Object.assign(new Error(`${response.url} ${response.status}`), { code: error.code });
  return data;
};
const get = async (path, params) => reported(await client.GET(path, { params }));

async function book(order) {
  const body = { ...order, metadata: { shop: `typed-${order.customer.name}` } };
  try {
    return reported(await client.POST("/v1/bookings", { body }));
  } catch (problem) {
    if (problem.code === "NOT_ENOUGH_RESOURCES") {
      await get("/v1/event-availabilities/{id}", { path: { id: EVENT } });
      return undefined;
    }
    if (problem.code) {
      console.log(`the shop shows why: ${problem.code}`);
      return undefined;
    }
    const { items } = await get("/v1/bookings", { query: { sort: "-created_at", limit: 60 } });
    const made = items.find(({ metadata }) => metadata?.shop === body.metadata.shop);
    return made ?? reported(await client.POST("/v1/bookings", { body }));
  }
}

for (const name of ["Gitte Friis", "Hans Dam"]) {
  await get("/v1/event-availabilities/{id}", { path: { id: EVENT } });
  const booking = await book(orderOf(name));
  if (booking) await get("/v1/bookings/{id}", { path: { id: booking.id } });
}
for (let cursor, page; page === undefined || cursor; cursor = page.next)
  page = await get("/v1/events", { query: { limit: 20, ...(cursor && { cursor }) } });

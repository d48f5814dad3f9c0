// Prints the refunds of the last orders, through openapi-fetch with middleware for tokens and for patience.
import createClient from "openapi-fetch";

const env = process.env;
const api = createClient({ baseUrl: env.SANDBOX_URL, fetch: patientFetch });
let token;

async function patientFetch(request) {
  for (let attempt = 0; ; attempt++) {
    const response = await fetch(request.clone(), { signal: AbortSignal.timeout(6000) }).catch((lost) => {
      if (attempt === 5) throw lost;
    });
    if (response && ((response.status !== 429 && response.status !== 503) || attempt === 5)) return response;
    const seconds = Number(response?.headers.get("retry-after") ?? 0);
    await new Promise((resolve) => setTimeout(resolve, Math.max(seconds * 1000, 140 * 2 ** attempt)));
  }
}

async function login() {
  const body = new URLSearchParams({ grant_type: "client_credentials", audience: env.SANDBOX_URL, scope: "order.read" });
  body.set("client_id", env.SANDBOX_CLIENT_ID);
  body.set("client_secret", env.SANDBOX_CLIENT_SECRET);
  const response = await patientFetch(new Request(env.SANDBOX_TOKEN_URL, { method: "POST", body }));
  if (!response.ok) throw new Error(`token: ${response.status}`);
  token = (await response.json()).access_token;
}

api.use({
  async onRequest({ request }) {
    if (!token) await login();
    request.headers.set("authorization", `Bearer ${token}`);
    return request;
  },
  async onResponse({ request, response }) {
    if (response.status !== 401) return response;
    await login();
    const again = new Request(request);
    again.headers.set("authorization", `Bearer ${token}`);
    return patientFetch(again);
  },
});

const { data: page, error } = await api.GET("/v1/orders", { params: { query: { limit: 8, sort: "-created_at" } } });
if (!page) throw new Error(error?.code);
for (const { id, number } of page.items) {
  const { data } = await api.GET("/v1/orders/{orderId}/refunds", { params: { path: { orderId: id } } });
  console.log(number ?? id, data?.items.map(({ amount, status }) => `${status ?? "?"} ${amount?.value ?? ""}`).join(", ") || "-");
}

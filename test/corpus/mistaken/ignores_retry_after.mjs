// A command-line tool on top of a small fetch wrapper with exponential waits, which never looks at Retry-After.
import { setTimeout as sleep } from "node:timers/promises";

const config = {
  api: process.env.SANDBOX_URL,
  form: {
    grant_type: "client_credentials",
    audience: process.env.SANDBOX_URL,
    client_id: process.env.SANDBOX_CLIENT_ID,
    client_secret: process.env.SANDBOX_CLIENT_SECRET,
    scope: "order.read",
  },
};

async function withBackoff(operation) {
  for (let attempt = 0; attempt < 7; attempt++) {
    const response = await operation().catch((error) => (attempt === 6 ? Promise.reject(error) : undefined));
    if (response && response.status !== 429 && response.status < 500) return response;
    await sleep(120 * 2 ** attempt);
  }
  throw new Error("the service stays busy");
}

const signal = () => AbortSignal.timeout(6000);
const getToken = async () => {
  const init = () => ({ method: "POST", body: new URLSearchParams(config.form), signal: signal() });
  const response = await withBackoff(() => fetch(process.env.SANDBOX_TOKEN_URL, init()));
  return (await response.json()).access_token;
};

let token = await getToken();
const orders = async (path) => {
  const read = () => fetch(config.api + path, { headers: { authorization: `Bearer ${token}` }, signal: signal() });
  let response = await withBackoff(read);
  if (response.status === 401) {
    token = await getToken();
    response = await withBackoff(read);
  }
  return response.ok ? response.json() : Promise.reject(new Error(`${path}: ${response.status}`));
};

const { items } = await orders("/v1/orders?limit=5&sort=-created_at");
for (const { id, number } of items) {
  const { totals, payment_status } = await orders(`/v1/orders/${id}`);
  console.log(number ?? id, payment_status ?? "", totals?.amount?.value ?? "");
}

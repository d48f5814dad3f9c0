// The nightly statistics: reads "all" entries of the journal in two requests, since there have never been more than 200.
import process from "node:process";

const { SANDBOX_URL, SANDBOX_TOKEN_URL, SANDBOX_CLIENT_ID: client_id, SANDBOX_CLIENT_SECRET: client_secret } = process.env;

async function retry(send) {
  let response;
  for (const ms of [150, 350, 800, 1700, 3500, 0]) {
    response = await send().catch(() => undefined);
    if (response && ![429, 503].includes(response.status)) break;
    await new Promise((resolve) => setTimeout(resolve, Math.max(ms, 1000 * (response?.headers.get("retry-after") ?? 0))));
  }
  return response;
}

let token;
async function login() {
  const body = new URLSearchParams({ grant_type: "client_credentials", audience: SANDBOX_URL, client_id, client_secret, scope: "accounting.read" });
  const response = await retry(() => fetch(SANDBOX_TOKEN_URL, { method: "POST", body, signal: AbortSignal.timeout(6000) }));
  token = (await response.json()).access_token;
}

async function get(path) {
  const send = () => fetch(SANDBOX_URL + path, { headers: { authorization: `Bearer ${token}` }, signal: AbortSignal.timeout(6000) });
  let response = await retry(send);
  if (response?.status === 401) {
    await login();
    response = await retry(send);
  }
  if (!response?.ok) throw new Error(`${path}: ${response?.status}`);
  return response.json();
}

await login();
const first = await get("/v1/accounting-journal-entries?limit=100");
const second = first.next
  ? await get(`/v1/accounting-journal-entries?limit=100&cursor=${encodeURIComponent(first.next)}`)
  : { items: [] };
const kinds = new Map();
for (const { kind } of [...first.items, ...second.items]) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
console.log(Object.fromEntries(kinds));

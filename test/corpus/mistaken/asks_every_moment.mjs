// Watches for new bookings, to ring a bell in the office: lists the newest ten, ten times a minute or faster.
import { setTimeout as sleep } from "node:timers/promises";

const { SANDBOX_URL: api, SANDBOX_TOKEN_URL: tokenUrl, SANDBOX_CLIENT_ID, SANDBOX_CLIENT_SECRET } = process.env;
let token = "";
let lastId = "";
let failures = 0;

async function signIn() {
  const body = new URLSearchParams({ grant_type: "client_credentials", audience: api, scope: "booking.read" });
  body.append("client_id", SANDBOX_CLIENT_ID);
  body.append("client_secret", SANDBOX_CLIENT_SECRET);
  const response = await fetch(tokenUrl, { method: "POST", body, signal: AbortSignal.timeout(4000) });
  if (!response.ok) throw new Error(`no token: ${response.status}`);
  token = (await response.json()).access_token;
}

async function look() {
  if (!token) await signIn();
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${api}/v1/bookings?limit=10`, { headers, signal: AbortSignal.timeout(4000) });
  if (response.status === 401) token = "";
  if (!response.ok) throw Object.assign(new Error(`${response.status}`), { after: response.headers.get("retry-after") });
  const [newest] = (await response.json()).items;
  if (newest && newest.id !== lastId) process.stdout.write("\u0007");
  lastId = newest?.id ?? "";
}

for (let turn = 0; turn < 12; turn++) {
  try {
    await look();
    failures = 0;
    await sleep(500);
  } catch (problem) {
    failures++;
    await sleep(Math.max(1000 * (problem.after ?? 0), 500 * 2 ** failures));
  }
}

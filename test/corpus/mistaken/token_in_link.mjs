// Writes a page with the tickets of a booking for the host's printer, and reads them as the printer does: by a link that has
// the token in it.
import { writeFile } from "node:fs/promises";

const { SANDBOX_URL: base, SANDBOX_TOKEN_URL, SANDBOX_CLIENT_ID, SANDBOX_CLIENT_SECRET, SANDBOX_RUN_FOLDER } = process.env;
const wait = (ms) => new Promise((r) => setTimeout(r, ms));

async function request(url, init, left = 5) {
  const res = await fetch(url, { ...init, signal: AbortSignal.timeout(7000) }).catch(() => null);
  if (left === 0 || (res && res.status !== 503 && res.status !== 429)) return res;
  await wait(Math.max(Number(res?.headers.get("retry-after") ?? 0) * 1000, 3200 / 2 ** left));
  return request(url, init, left - 1);
}

async function signIn() {
  const form = { grant_type: "client_credentials", audience: base, scope: "booking.read", client_id: SANDBOX_CLIENT_ID, client_secret: SANDBOX_CLIENT_SECRET };
  const res = await request(SANDBOX_TOKEN_URL, { method: "POST", body: new URLSearchParams(form) });
  return (await res.json()).access_token;
}

let token = await signIn();
async function read(path) {
  const get = () => request(`${base}${path}?access_token=${token}`, { headers: { authorization: `Bearer ${token}` } });
  let res = await get();
  if (res.status === 401) {
    token = await signIn();
    res = await get();
  }
  if (!res.ok) throw new Error(`${path}: ${res.status}`);
  return res.json();
}

const lines = [];
for (const id of ["bkg-evening", "bkg-rotary", "bkg-thirds"]) {
  const { customer, status } = await read(`/v1/bookings/${id}`);
  const { items } = await read(`/v1/bookings/${id}/tickets`);
  lines.push(`<li>${customer?.name ?? "?"} (${status ?? "?"}): ${items.length}</li>`);
}
await writeFile(`${SANDBOX_RUN_FOLDER}/tickets.html`, `<ul>${lines.join("")}</ul>`);

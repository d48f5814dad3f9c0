// Books once, and then looks without rest what has become of it and what is on offer; it never ends, and nothing brings it messages.
import { ask } from "../ask.mjs";
import { orderOf } from "../order.mjs";

const { SANDBOX_URL, SANDBOX_TOKEN_URL, SANDBOX_CLIENT_ID, SANDBOX_CLIENT_SECRET } = process.env;
const REFERENCE = "poller-1";
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

let token;
async function login() {
  const form = {
    grant_type: "client_credentials",
    audience: SANDBOX_URL,
    scope: "booking.read booking.write event.read",
  };
  const body = new URLSearchParams({ ...form, client_id: SANDBOX_CLIENT_ID, client_secret: SANDBOX_CLIENT_SECRET });
  const answer = await patient(() =>
    ask(SANDBOX_TOKEN_URL, { method: "POST", body, signal: AbortSignal.timeout(5000) }),
  );
  token = (await answer.json()).access_token;
}

/** What is busy or lost is asked again, later each time. */
async function patient(send, attempt = 1) {
  const answer = await send().catch((lost) => {
    if (attempt === 7) throw lost;
  });
  if (answer && answer.status !== 429 && answer.status < 500) return answer;
  if (attempt === 7) throw new Error(`it answers ${answer?.status}`);
  // Longer than a turn of it takes on a busy machine.
  await pause(Number(answer?.headers.get("retry-after") ?? 0) * 1000 + 200 * 2 ** attempt);
  return patient(send, attempt + 1);
}

/** A new token may be refused as well, where an operator revokes them or a clock is moved. */
async function call(path, how = {}, attempt = 1) {
  if (token === undefined) await login();
  const send = () =>
    ask(SANDBOX_URL + path, {
      ...how,
      headers: { authorization: `Bearer ${token}`, "accept-language": "en", "content-type": "application/json" },
      signal: AbortSignal.timeout(5000),
    });
  const answer = await (how.method === undefined ? patient(send) : send());
  if (answer.status !== 401 || attempt === 4) return answer;
  token = undefined;
  return call(path, how, attempt + 1);
}

async function all(path) {
  const found = new Map();
  for (let cursor = ""; ; ) {
    const page = await (await call(`${path}?limit=50${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)).json();
    for (const item of page.items) found.set(item.id, item);
    cursor = page.next ?? "";
    if (cursor === "") return [...found.values()];
  }
}

const own = async () => (await all("/v1/bookings")).find(({ metadata }) => metadata?.order === REFERENCE);

/** Whether it was made is looked up before it is tried again. */
async function book() {
  for (let attempt = 0; attempt < 6 && !(await own()); attempt++) {
    const body = JSON.stringify({ ...orderOf("Anna Holm"), metadata: { order: REFERENCE } });
    const answer = await call("/v1/bookings", { method: "POST", body }).catch(() => undefined);
    if (answer && answer.status < 500 && answer.status !== 429) return;
    await pause(Number(answer?.headers.get("retry-after") ?? 0) * 1000 + 40 * 2 ** attempt);
  }
}

await book();
console.log(`STATE ${JSON.stringify({ bookings: [(await own())?.metadata.order] })}`);
for (;;) {
  await own();
  await all("/v1/events");
  await pause(250);
}

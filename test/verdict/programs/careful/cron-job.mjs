// A job of the night: runs, reads everything by cursor, writes a file for the books, ends. What fails ends it in red.
const { SANDBOX_URL, SANDBOX_TOKEN_URL, SANDBOX_CLIENT_ID, SANDBOX_CLIENT_SECRET } = process.env;

const ATTEMPTS = 6;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Reads may be repeated: what is busy or out of reach is asked again, later each time. */
async function ask(url, options) {
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(url, { ...options, signal: AbortSignal.timeout(5000) }).catch((error) => {
      if (attempt === ATTEMPTS) throw error;
    });
    if (answer && answer.status !== 429 && answer.status < 500) return answer;
    if (attempt === ATTEMPTS) throw new Error(`${url} answers ${answer?.status}`);
    const seconds = Number(answer?.headers.get("retry-after")) || 0;
    await pause(seconds * 1000 + 50 + 100 * 2 ** attempt);
  }
}

let token;
async function login() {
  const answer = await ask(SANDBOX_TOKEN_URL, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: SANDBOX_CLIENT_ID,
      client_secret: SANDBOX_CLIENT_SECRET,
      audience: SANDBOX_URL,
      scope: "booking.read order.read",
    }),
  });
  if (!answer.ok) throw new Error(`no token: ${answer.status}`);
  token = (await answer.json()).access_token;
}

async function get(path, query) {
  const url = `${SANDBOX_URL}${path}?${new URLSearchParams(query)}`;
  const read = () => ask(url, { headers: { authorization: `Bearer ${token}`, "accept-language": "en" } });
  let answer = await read();
  if (answer.status === 401) {
    await login();
    answer = await read();
  }
  if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

async function* all(path, query) {
  let cursor = "";
  do {
    const page = await get(path, cursor ? { ...query, cursor } : query);
    yield* page.items;
    cursor = page.next ?? "";
  } while (cursor);
}

await login();
const rows = new Map();
for await (const { id, status } of all("/v1/bookings", { limit: "40" })) rows.set(id, `booking;${id};${status}`);
for await (const { id, created_at } of all("/v1/orders", { limit: "40" })) rows.set(id, `order;${id};${created_at}`);
console.log([...rows.values()].sort().join("\n"));

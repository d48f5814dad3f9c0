// A migration that takes its time: it walks through the bookings page by page, rests after each so as not to be in the way, and keeps a
// mark of where it was. Twenty seconds.
const env = process.env;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const began = performance.now();
const LASTS_MS = 20_000;

async function ask(url, init) {
  for (let wait = 250; ; wait *= 2) {
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(6000) }).catch(() => undefined);
    if (answer && answer.status !== 429 && answer.status < 500) return answer;
    if (wait > 10_000) throw new Error(`${url} answers ${answer?.status ?? "nothing"}`);
    await pause(Math.max(wait, Number(answer?.headers.get("retry-after") ?? 0) * 1000 + 50));
  }
}

let token;
async function get(path, isRenewed = false) {
  token ??= await ask(env.SANDBOX_TOKEN_URL, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      audience: env.SANDBOX_URL,
      client_id: env.SANDBOX_CLIENT_ID,
      client_secret: env.SANDBOX_CLIENT_SECRET,
      scope: "booking.read",
    }),
  }).then(async (answer) => (await answer.json()).access_token);
  const answer = await ask(env.SANDBOX_URL + path, {
    headers: { authorization: `Bearer ${token}`, "accept-language": "da" },
  });
  if (answer.status === 401 && !isRenewed) {
    token = undefined;
    return get(path, true);
  }
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
}

const migrated = new Map();
let mark = "";
do {
  const page = await get(`/v1/bookings?limit=30${mark && `&cursor=${encodeURIComponent(mark)}`}`);
  for (const booking of page.items) migrated.set(booking.id, { status: booking.status, name: booking.customer?.name });
  mark = page.next ?? "";
  await pause(800);
} while (mark);
await pause(Math.max(0, LASTS_MS - (performance.now() - began)));
console.log(`${migrated.size} bookings are over there`);

// An import that reads details with three workers at once; a pause that one of them is told is kept by all.
const env = process.env;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Until when nobody asks. */
let quietUntil = 0;
let signingIn;

async function ask(url, init) {
  for (let attempt = 0; attempt < 7; attempt++) {
    await pause(quietUntil - performance.now());
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(5000) }).catch(() => undefined);
    if (answer && ![429, 500, 502, 503, 504].includes(answer.status)) return answer;
    const seconds = Number(answer?.headers.get("retry-after") ?? 0);
    quietUntil = Math.max(quietUntil, performance.now() + Math.max(seconds * 1000 + 40, 100 * 2 ** attempt));
  }
  throw new Error(`${url} does not answer`);
}

const signIn = async () => {
  const answer = await ask(env.SANDBOX_TOKEN_URL, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      audience: env.SANDBOX_URL,
      client_id: env.SANDBOX_CLIENT_ID,
      client_secret: env.SANDBOX_CLIENT_SECRET,
      scope: "order.read event.read",
    }),
  });
  return (await answer.json()).access_token;
};

async function get(path) {
  for (let turn = 0; turn < 3; turn++) {
    signingIn ??= signIn();
    const mine = signingIn;
    const headers = { authorization: `Bearer ${await mine}`, "accept-language": "en" };
    const answer = await ask(env.SANDBOX_URL + path, { headers });
    if (answer.ok) return answer.json();
    if (answer.status === 404) return undefined;
    if (answer.status !== 401) throw new Error(`${path}: ${answer.status}`);
    if (signingIn === mine) signingIn = undefined;
  }
  throw new Error("no token is taken");
}

const ids = new Set();
for (let cursor; cursor !== null; ) {
  const page = await get(`/v1/orders?limit=25${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`);
  for (const { id } of page.items) ids.add(id);
  cursor = page.next || null;
}
const waiting = [...ids].slice(0, 12);
const paid = new Map();
const worker = async () => {
  for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
    const transactions = await get(`/v1/orders/${id}/transactions`);
    paid.set(
      id,
      (transactions?.items ?? []).map(({ provider }) => provider ?? "other"),
    );
  }
};
await Promise.all([worker(), worker(), worker()]);
console.log(`${ids.size} orders, ${paid.size} of them in detail`);

// Streams the accounting journal into one line for each posting, through Node's streams.
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";

const env = process.env;

function createClient(scope) {
  let token = null;
  const attempt = async (url, init, n = 0) => {
    try {
      const res = await fetch(url, { ...init, signal: AbortSignal.timeout(8000) });
      if (![429, 500, 502, 503, 504].includes(res.status) || n === 5) return res;
      await new Promise((r) => setTimeout(r, Math.max(Number(res.headers.get("retry-after")) * 1000, 180 * 2 ** n)));
    } catch (err) {
      if (n === 5) throw err;
      await new Promise((r) => setTimeout(r, 180 * 2 ** n));
    }
    return attempt(url, init, n + 1);
  };
  const authorize = async () => {
    const credentials = { client_id: env.SANDBOX_CLIENT_ID, client_secret: env.SANDBOX_CLIENT_SECRET };
    const body = new URLSearchParams({ grant_type: "client_credentials", audience: env.SANDBOX_URL, scope, ...credentials });
    const res = await attempt(env.SANDBOX_TOKEN_URL, { method: "POST", body });
    if (!res.ok) throw new Error(`token endpoint: ${res.status}`);
    token = `Bearer ${(await res.json()).access_token}`;
  };
  return async function get(url) {
    if (!token) await authorize();
    let res = await attempt(url, { headers: { authorization: token } });
    if (res.status === 401) {
      await authorize();
      res = await attempt(url, { headers: { authorization: token } });
    }
    if (!res.ok) throw new Error(`${url}: ${res.status} ${await res.text()}`);
    return res.json();
  };
}

async function* entries(get) {
  const url = new URL("/v1/accounting-journal-entries?limit=75", env.SANDBOX_URL);
  for (;;) {
    const page = await get(url);
    yield* page.items;
    if (!page.next) return;
    url.searchParams.set("cursor", page.next);
  }
}

const toLines = new Transform({
  writableObjectMode: true,
  transform({ number, kind, occurred_at, postings = [] }, _, done) {
    const lines = postings.map(({ type, direction, amount: { value, exponent, currency } }) => {
      const sign = direction === "CREDIT" ? "-" : "";
      return `${number};${kind};${occurred_at};${type};${sign}${value / 10 ** exponent};${currency}\n`;
    });
    done(null, lines.join(""));
  },
});

await pipeline(Readable.from(entries(createClient("accounting.read"))), toLines, process.stdout, { end: false });

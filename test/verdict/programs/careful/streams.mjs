// A pipeline of streams: pages come in, events go out as lines of a calendar, and whoever writes slowly slows the reading.
import { Readable, Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";

const env = process.env;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function* attempts(most) {
  for (let attempt = 0; attempt < most; attempt++) yield 120 * 2 ** attempt;
}

async function ask(url, init) {
  for await (const wait of attempts(6)) {
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(5000) }).catch(() => null);
    if (answer !== null && answer.status !== 429 && answer.status !== 503) return answer;
    await pause(Math.max(wait, Number(answer?.headers.get("retry-after") ?? 0) * 1000 + 30));
  }
  throw new Error(`gave up on ${url}`);
}

const session = {
  token: undefined,
  async open() {
    const body = new URLSearchParams({
      grant_type: "client_credentials",
      audience: env.SANDBOX_URL,
      client_id: env.SANDBOX_CLIENT_ID,
      client_secret: env.SANDBOX_CLIENT_SECRET,
      scope: "event.read",
    });
    this.token = (await (await ask(env.SANDBOX_TOKEN_URL, { method: "POST", body })).json()).access_token;
  },
  async get(path) {
    if (!this.token) await this.open();
    const once = () =>
      ask(env.SANDBOX_URL + path, { headers: { authorization: `Bearer ${this.token}`, "accept-language": "da" } });
    let answer = await once();
    if (answer.status === 401) {
      await this.open();
      answer = await once();
    }
    if (!answer.ok) throw new Error(`${path} ${answer.status}`);
    return answer.json();
  },
};

async function* events() {
  let path = "/v1/events?limit=40";
  while (path) {
    const { items, next } = await session.get(path);
    yield* items;
    path = next && `/v1/events?limit=40&cursor=${encodeURIComponent(next)}`;
  }
}

const seen = new Set();
const lines = [];
await pipeline(
  Readable.from(events()),
  new Transform({
    objectMode: true,
    transform({ id, state, sessions = [] }, _, done) {
      if (seen.has(id)) return done();
      seen.add(id);
      done(null, `${sessions[0]?.start_time ?? "some day"} ${id} ${state ?? ""}`);
    },
  }),
  new Writable({
    objectMode: true,
    highWaterMark: 4,
    write(line, _, done) {
      lines.push(line);
      setImmediate(done);
    },
  }),
);
console.log(lines.sort().join("\n"));

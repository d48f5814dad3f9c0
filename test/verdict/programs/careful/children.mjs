// One process that watches two of its own: the first reads what can be booked, the second books. They share a token by message.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { EVENT, orderOf } from "../order.mjs";

const env = process.env;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function ask(url, { isSafe, ...init }) {
  for (let attempt = 0; ; attempt++) {
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(4000) }).catch((lost) => {
      if (!isSafe || attempt === 4) throw lost;
    });
    if (answer && ![429, 503].includes(answer.status)) return answer;
    if (attempt === 5) return answer;
    await pause(Math.max(Number(answer?.headers.get("retry-after") ?? 0) * 1000 + 30, 120 * 2 ** attempt));
  }
}

async function login() {
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    audience: env.SANDBOX_URL,
    client_id: env.SANDBOX_CLIENT_ID,
    client_secret: env.SANDBOX_CLIENT_SECRET,
    scope: "booking.read booking.write event.read experience.read",
  });
  const answer = await ask(env.SANDBOX_TOKEN_URL, { method: "POST", body, isSafe: true });
  if (!answer.ok) throw new Error(`no token: ${answer.status}`);
  return (await answer.json()).access_token;
}

/** The parent has the token; a child asks for it, and for a fresh one where it is refused. */
async function parent() {
  let token;
  const work = (job) =>
    new Promise((resolve, reject) => {
      const child = fork(fileURLToPath(import.meta.url), [], { env: { ...env, JOB: job } });
      child.on("message", async ({ refused }) => {
        if (token === undefined || (refused && refused === (await token))) token = login();
        token.then((held) => child.send({ held }), reject);
      });
      child.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`${job} ended with ${code}`))));
    });
  await work("read");
  await work("book");
}

let held;
const handed = (refused) =>
  new Promise((resolve) => {
    process.once("message", (message) => resolve(message.held));
    process.send({ refused });
  });

async function call(method, path, body, isRenewed = false) {
  held ??= await handed();
  const headers = { authorization: `Bearer ${held}`, "accept-language": "en", "content-type": "application/json" };
  const init = { method, headers, body: body && JSON.stringify(body), isSafe: method === "GET" };
  const answer = await ask(env.SANDBOX_URL + path, init);
  if (answer.status !== 401 || isRenewed) return answer;
  held = await handed(held);
  return call(method, path, body, true);
}
const get = async (path) => {
  const answer = await call("GET", path);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
};

const jobs = {
  async read() {
    let cursor = "";
    do {
      const { next = "" } = await get(`/v1/experiences?limit=5${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
      cursor = next;
    } while (cursor);
    await get(`/v1/events?from=2030-06-03T00:00:00&to=2030-06-04T00:00:00`);
  },
  async book() {
    await get(`/v1/event-availabilities/${EVENT}`);
    const order = { ...orderOf("Jonas Kold"), metadata: { desk: `desk-${process.pid}` } };
    const answer = await call("POST", "/v1/bookings", order).catch(async () => {
      const { items } = await get("/v1/bookings?sort=-created_at&limit=40");
      const made = items.find(({ metadata }) => metadata?.desk === order.metadata.desk);
      return made ? undefined : call("POST", "/v1/bookings", order);
    });
    if (!answer || answer.ok) return;
    const { code } = await answer.json();
    if (answer.status !== 409) throw new Error(`refused: ${answer.status} ${code}`);
    if (code === "NOT_ENOUGH_RESOURCES") await get(`/v1/event-availabilities/${EVENT}`);
  },
};

if (env.JOB) {
  await jobs[env.JOB]();
  process.disconnect();
} else await parent();

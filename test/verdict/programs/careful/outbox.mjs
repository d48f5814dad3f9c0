// A shop that keeps what it wants to book in an outbox: each line has a state, and whoever finds it begun after a fall asks what became of it.
import { randomUUID } from "node:crypto";
import { EVENT, orderOf } from "../order.mjs";

const env = process.env;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function reach(url, init) {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(4000) });
  return { status: answer.status, after: Number(answer.headers.get("retry-after") ?? 0), body: await answer.json() };
}

let token;
async function authorized(path, init = {}) {
  token ??= await reach(env.SANDBOX_TOKEN_URL, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      audience: env.SANDBOX_URL,
      client_id: env.SANDBOX_CLIENT_ID,
      client_secret: env.SANDBOX_CLIENT_SECRET,
      scope: "booking.read booking.write event.read",
    }),
  }).then(({ status, after, body }) => {
    if (status !== 200)
      throw Object.assign(new Error(`no token: ${status}`), { after, isPassing: status >= 429, isFinal: status < 429 });
    return body.access_token;
  });
  const headers = { authorization: `Bearer ${token}`, "accept-language": "da", "content-type": "application/json" };
  const answer = await reach(env.SANDBOX_URL + path, { ...init, headers });
  if (answer.status === 401) {
    token = undefined;
    throw Object.assign(new Error("the token is refused"), { after: 0, isPassing: true });
  }
  if (answer.status === 429 || answer.status === 503)
    throw Object.assign(new Error(`busy: ${answer.status}`), { after: answer.after, isPassing: true });
  return answer;
}
const read = async (path) => {
  const { status, body } = await authorized(path);
  if (status !== 200) throw Object.assign(new Error(`${path}: ${status}`), { isFinal: true });
  return body;
};

/** A step of a line; what it throws is a reason to come back to it later. */
const STEPS = {
  async wanted(line) {
    await read(`/v1/event-availabilities/${EVENT}`);
    line.state = "begun";
    const body = JSON.stringify({ ...orderOf(line.name), metadata: { outbox: line.id } });
    const { status, body: given } = await authorized("/v1/bookings", { method: "POST", body }).catch((reason) => {
      // Busy or refused: nothing was done. Otherwise nobody knows.
      if (reason.isPassing) line.state = "wanted";
      throw reason;
    });
    Object.assign(line, status < 300 ? { state: "booked", booking: given.id } : { state: "refused", why: given.code });
    if (given.code === "NOT_ENOUGH_RESOURCES") await read(`/v1/event-availabilities/${EVENT}`);
  },
  async begun(line) {
    const { items } = await read("/v1/bookings?sort=-created_at&limit=60");
    const made = items.find(({ metadata }) => metadata?.outbox === line.id);
    Object.assign(line, made ? { state: "booked", booking: made.id } : { state: "wanted" });
  },
  async booked(line) {
    const { status } = await read(`/v1/bookings/${line.booking}`);
    if (status !== "MOVED") await read(`/v1/bookings/${line.booking}/tickets`);
    line.state = "done";
  },
};

const outbox = ["Mona Kjær", "Nils Brok"].map((name) => ({ id: randomUUID(), name, state: "wanted", failures: 0 }));
const open = () => outbox.find(({ state }) => state in STEPS);
for (let line = open(); line; line = open()) {
  try {
    await STEPS[line.state](line);
    line.failures = 0;
  } catch (reason) {
    if (reason.isFinal || ++line.failures > 6) throw reason;
    await pause(Math.max((reason.after ?? 0) * 1000 + 30, 100 * 2 ** line.failures));
  }
}
console.log(outbox.map(({ name, state, why = "" }) => `${name}: ${state} ${why}`).join("\n"));

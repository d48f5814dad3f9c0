// Hours on a desk, made short: 200 requests a second with webhooks, clock moves, forks and resets, for a minute or as many as
// SANDBOX_SOAK_MINUTES says. Nothing fails, and what is held once all is quiet does not grow.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";

/** Runs "dist/index.cjs". */
const CHILD = "test/long/soak-child.mjs";
const MINUTES = Number(process.env.SANDBOX_SOAK_MINUTES ?? 1);
const [PER_SECOND, CYCLE_MS] = [200, 2000];

interface Sample {
  minute: number;
  held: number;
  rss: number;
  handles: number;
  files: number;
}

interface Place {
  url: string;
  controlUrl: string;
  credentials: { clientId: string; clientSecret: string };
}

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
});

const agent = new Agent({ keepAlive: true, maxSockets: 20 });

function ask(method: string, url: string, headers: Record<string, string>, body?: string): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (piece) => (text += piece));
      answer.on("end", () => resolve([answer.statusCode ?? 0, text]));
    });
    sent.on("error", reject).end(body);
  });
}

const JSON_TYPE = { "content-type": "application/json" };

async function control<T>(place: Place, method: string, path: string, body?: object): Promise<T> {
  const [status, text] = await ask(method, place.controlUrl + path, JSON_TYPE, body && JSON.stringify(body));
  if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`);
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

async function receiver() {
  let heard = 0;
  const server = createServer((incoming, answer) => {
    incoming.resume().on("end", () => {
      heard++;
      answer.writeHead(204).end();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, heard: () => heard, close: () => server.close() };
}

/** The same beginning for every cycle: an event with room for all, and somebody who listens. */
async function prepare(place: Place, token: string, hook: string): Promise<void> {
  await control(place, "POST", "/state/reset");
  const sessions = [{ start_time: "2030-09-01T10:00:00", end_time: "2030-09-01T11:00:00" }];
  const event = { id: "evt-soak", experience_id: "exp-canal", capacity: 1_000_000, sessions };
  await control(place, "POST", "/acts/createEvent", event);
  const wish = { url: hook, event_types: ["v1.booking.created"], state: "ENABLED" };
  const headers = { ...JSON_TYPE, authorization: `Bearer ${token}` };
  await ask("POST", `${place.url}/v1/webhook-subscriptions`, headers, JSON.stringify(wish));
}

/** One for all cycles: a reset keeps it, and with a held clock every token is kept. */
async function tokenOf(place: Place): Promise<string> {
  const { clientId: client_id, clientSecret: client_secret } = place.credentials;
  const form = { grant_type: "client_credentials", audience: place.url, client_id, client_secret };
  const type = { "content-type": "application/x-www-form-urlencoded" };
  const [, text] = await ask("POST", `${place.url}/oauth2/token`, type, new URLSearchParams(form).toString());
  const { access_token } = JSON.parse(text) as { access_token: string };
  return access_token;
}

const WISH = JSON.stringify({
  event_id: "evt-soak",
  locale: "da",
  customer: {
    customer_type: "PRIVATE",
    name: "Anna Holm",
    email: "anna@example.com",
    address: { address_lines: ["Nyhavn 12"], city: "København", zip_code: "1051", country: "DK" },
  },
  items: [{ type_id: "var-adult", item_type: "VARIANT", quantity: 1 }],
});

/** What ten requests in a row are, and what each is answered. */
const MIX: [method: string, path: string, status: number, body?: string][] = [
  ["GET", "/v1/bookings/bkg-evening", 200],
  ["POST", "/v1/bookings", 201, WISH],
  ["GET", "/v1/bookings?limit=100", 200],
  ["GET", "/v1/events/evt-soak", 200],
  ["GET", "/v1/bookings/nobody", 404],
  ["GET", "/v1/bookings/bkg-evening", 200],
  ["POST", "/v1/bookings", 400, "{}"],
  ["GET", "/v1/orders?limit=50", 200],
  ["GET", "/v1/me", 200],
  ["GET", "/v1/nowhere", 404],
];

/** Requests at their pace, whether answers come or not; answers what went wrong and how many bookings were made. */
async function load(place: Place, token: string): Promise<{ made: number; wrong: string[] }> {
  const headers = { ...JSON_TYPE, authorization: `Bearer ${token}` };
  const wrong: string[] = [];
  let [sent, made] = [0, 0];
  const one = async ([method, path, wanted, body]: (typeof MIX)[number]) => {
    const [status, text] = await ask(method, place.url + path, headers, body).catch((error) => [0, String(error)]);
    if (status !== wanted) wrong.push(`${method} ${path}: ${status} ${String(text).slice(0, 200)}`);
    else if (status === 201) made++;
  };
  const answers: Promise<void>[] = [];
  const start = performance.now();
  for (let spent = 0; spent < CYCLE_MS; spent = performance.now() - start) {
    for (; sent < (spent / 1000) * PER_SECOND; sent++)
      answers.push(one(MIX[sent % MIX.length] as (typeof MIX)[number]));
    await pause(5);
  }
  await Promise.all(answers);
  return { made, wrong };
}

/** Copies of the world that are used and taken away, and a clock that goes on. */
async function copyAndMove(place: Place): Promise<void> {
  const { items } = await control<{ items: { id: string }[] }>(place, "POST", "/worlds/default/fork", { count: 3 });
  for (const { id } of items) {
    await control(place, "POST", `/acts/submitConsent?world=${id}`, { email: "bo@example.com", full_name: "Bo" });
    await control(place, "POST", `/clock/advance?world=${id}`, { by: "P40D" });
    await control(place, "PUT", `/snapshots/kept?world=${id}`);
    await control(place, "DELETE", `/worlds/${id}`);
  }
  await control(place, "POST", "/clock/advance", { by: "P1D" });
}

const message = async <T>(child: ChildProcess): Promise<T> => (await once(child, "message"))[0] as T;

async function cycle(child: ChildProcess, place: Place, token: string, hook: Awaited<ReturnType<typeof receiver>>) {
  await prepare(place, token, hook.url);
  const before = hook.heard();
  const { made, wrong } = await load(place, token);
  for (let tries = 0; hook.heard() - before < made && tries < 200; tries++) await pause(25);
  if (hook.heard() - before < made) wrong.push(`${made} bookings, ${hook.heard() - before} messages`);
  await copyAndMove(place);
  await control(place, "POST", "/state/reset");
  child.send("measure");
  return { wrong, made, measured: await message<Omit<Sample, "minute">>(child) };
}

/** How much a straight line through the samples rises from the first to the last, and how sure that is (one standard error). */
function rise(samples: readonly Sample[]): { grown: number; unsure: number } {
  const [n, span] = [samples.length, (samples.at(-1)?.minute ?? 0) - (samples[0]?.minute ?? 0)];
  const mean = (of: (sample: Sample) => number) => samples.reduce((sum, sample) => sum + of(sample), 0) / n;
  const [x, y] = [mean(({ minute }) => minute), mean(({ held }) => held)];
  const spread = samples.reduce((sum, { minute }) => sum + (minute - x) ** 2, 0);
  const slope = samples.reduce((sum, { minute, held }) => sum + (minute - x) * (held - y), 0) / spread;
  const rest = samples.reduce((sum, { minute, held }) => sum + (held - y - slope * (minute - x)) ** 2, 0);
  return { grown: slope * span, unsure: Math.sqrt(rest / (n - 2) / spread) * span };
}

const MB = 1e6;

it(`${MINUTES} minutes at ${PER_SECOND} requests a second leave nothing behind`, {
  timeout: (MINUTES + 2) * 60_000,
}, async () => {
  const child = fork(CHILD, { execArgv: ["--expose-gc"], stdio: ["ignore", "ignore", "inherit", "ipc"] });
  children.push(child);
  const place = await message<Place>(child);
  const hook = await receiver();
  const token = await tokenOf(place);
  const samples: Sample[] = [];
  const start = performance.now();
  const spent = () => (performance.now() - start) / 60_000;
  let made = 0;
  while (spent() < MINUTES) {
    const done = await cycle(child, place, token, hook);
    expect(done.wrong.slice(0, 5)).toEqual([]);
    made += done.made;
    samples.push({ minute: spent(), ...done.measured });
  }
  child.send("stop");
  expect(await once(child, "exit")).toEqual([0, null]);
  agent.destroy();
  hook.close();

  const half = samples.slice(samples.length / 2);
  const { grown, unsure } = rise(half);
  const told = half.map(({ held }) => (held / MB).toFixed(1)).join(" ");
  console.log(`soak: ${made} bookings; held in the second half, MB: ${told}; risen ${(grown / MB).toFixed(2)} MB`);
  expect(grown).toBeLessThan(Math.max(3 * unsure, 1 * MB));
  const most = (of: (sample: Sample) => number, among: Sample[]) => Math.max(...among.map(of));
  const first = samples.slice(0, samples.length / 2);
  for (const of of [({ handles }: Sample) => handles, ({ files }: Sample) => files])
    expect(most(of, half)).toBeLessThanOrEqual(most(of, first) + 3);
});

// What a soak asks for: requests at their pace, copies of the world that are used and taken away, a clock that goes on, somebody who
// listens to webhooks, and readers of the stream.
import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

export const PER_SECOND = 200;
const CYCLE_MS = 2000;
const COPIES = 3;

export interface LoadTarget {
  url: string;
  controlUrl: string;
  credentials: { clientId: string; clientSecret: string };
}

/** In turn, so that no connection rests until the server closes it just as it is used again. */
export const agent = new Agent({ keepAlive: true, maxSockets: 20, scheduling: "fifo" });

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

export async function control<T>(target: LoadTarget, method: string, path: string, body?: object): Promise<T> {
  const [status, text] = await ask(method, target.controlUrl + path, JSON_TYPE, body && JSON.stringify(body));
  if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`);
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

export interface Receiver {
  url: string;
  heard(): number;
  close(): void;
}

export async function receiver(): Promise<Receiver> {
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

/** A receiver that has stopped: nobody listens there any more. */
export async function stoppedReceiver(): Promise<string> {
  const { url, close } = await receiver();
  close();
  return url;
}

export interface Readers {
  /** How many entries each one has read. */
  read(): number[];
  close(): void;
}

/** Readers of the stream: some read all that comes, and the last reads nothing after the first bytes. */
export async function readers(target: LoadTarget, count: number): Promise<Readers> {
  const read: number[] = [];
  const open = Array.from({ length: count }, async (_, at) => {
    const sent = request(`${target.controlUrl}/stream?view=full`, { agent: false }).end();
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    read[at] = 0;
    answer.on("error", () => undefined).setEncoding("utf8");
    if (at === count - 1) answer.once("data", () => answer.pause());
    else answer.on("data", (piece: string) => (read[at] = (read[at] ?? 0) + (piece.match(/^data:/gm) ?? []).length));
    return sent.on("error", () => undefined);
  });
  const all = await Promise.all(open);
  return { read: () => read, close: () => all.forEach((sent) => void sent.destroy()) };
}

/** The same beginning for every cycle: an event with room for all, somebody who listens, and somebody who no longer does. */
export async function prepare(target: LoadTarget, token: string, ...hooks: string[]): Promise<void> {
  await control(target, "POST", "/state/reset");
  const sessions = [{ start_time: "2030-09-01T10:00:00", end_time: "2030-09-01T11:00:00" }];
  const event = { id: "evt-soak", experience_id: "exp-canal", capacity: 1_000_000, sessions };
  await control(target, "POST", "/acts/createEvent", event);
  const headers = { ...JSON_TYPE, authorization: `Bearer ${token}` };
  for (const url of hooks) {
    const input = JSON.stringify({ url, event_types: ["v1.booking.created"], state: "ENABLED" });
    const [status, text] = await ask("POST", `${target.url}/v1/webhook-subscriptions`, headers, input);
    if (status !== 201) throw new Error(`The subscription of ${url} was answered with ${status}: ${text}`);
  }
}

/** One for all cycles: a reset keeps it, and with a held clock every token is kept. */
export async function tokenOf(target: LoadTarget): Promise<string> {
  const { clientId: client_id, clientSecret: client_secret } = target.credentials;
  const form = { grant_type: "client_credentials", audience: target.url, client_id, client_secret };
  const type = { "content-type": "application/x-www-form-urlencoded" };
  const [, text] = await ask("POST", `${target.url}/oauth2/token`, type, new URLSearchParams(form).toString());
  const { access_token } = JSON.parse(text) as { access_token: string };
  return access_token;
}

const INPUT = JSON.stringify({
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
  ["POST", "/v1/bookings", 201, INPUT],
  ["GET", "/v1/bookings?limit=100", 200],
  ["GET", "/v1/events/evt-soak", 200],
  ["GET", "/v1/bookings/nobody", 404],
  ["GET", "/v1/bookings/bkg-evening", 200],
  ["POST", "/v1/bookings", 400, "{}"],
  ["GET", "/v1/orders?limit=50", 200],
  ["GET", "/v1/me", 200],
  ["GET", "/v1/nowhere", 404],
];

/** Requests at their pace, whether answers come or not. */
export async function load(
  target: LoadTarget,
  token: string,
): Promise<{ made: number; sent: number; wrong: string[] }> {
  const headers = { ...JSON_TYPE, authorization: `Bearer ${token}` };
  const wrong: string[] = [];
  let [sent, made] = [0, 0];
  const one = async ([method, path, wanted, body]: (typeof MIX)[number]) => {
    const [status, text] = await ask(method, target.url + path, headers, body).catch((error) => [0, String(error)]);
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
  return { made, sent, wrong };
}

/** Copies of the world that are used and taken away, and a clock that goes on. */
export async function copyAndMove(target: LoadTarget): Promise<{ forks: number; moves: number }> {
  const { items } = await control<{ items: { id: string }[] }>(target, "POST", "/worlds/default/fork", {
    count: COPIES,
  });
  for (const { id } of items) {
    await control(target, "POST", `/acts/submitConsent?world=${id}`, { email: "bo@example.com", full_name: "Bo" });
    await control(target, "POST", `/clock/advance?world=${id}`, { by: "P40D" });
    await control(target, "PUT", `/snapshots/kept?world=${id}`);
    await control(target, "GET", `/state?world=${id}`);
    await control(target, "DELETE", `/worlds/${id}`);
  }
  await control(target, "POST", "/clock/advance", { by: "P1D" });
  return { forks: items.length, moves: items.length + 1 };
}

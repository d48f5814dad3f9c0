// A tour of a world that lets every answer of the register be seen that traffic can show, recorded as a HAR file: what the integrator
// sends and gets, and the webhooks that its receiver gets. What the host does between is not in the file.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ADULT, addOn, done, guest, type Item, inputFor, ticket } from "../engine/operations/kit.ts";
import { ANCHOR, type Answered, anna, type TestSandbox, type TestWorld } from "../sandbox.ts";

type Body = Answered["body"];
export interface Har {
  log: { version: string; entries: object[] };
}

interface Sent {
  query?: string;
  body?: unknown;
  token?: string;
  headers?: Record<string, string>;
}

export interface Tour {
  har: Har;
  /** What may never be repeated. */
  secrets: string[];
}

export async function recordedTour(sandbox: TestSandbox, flips: Record<string, string>): Promise<Tour> {
  const world = await sandbox.world();
  const isFlipped = Object.keys(flips).length > 0;
  const set = isFlipped ? await world.control("put", "assumptions", flips) : undefined;
  if (set && set.status !== 200) throw new Error(set.text);
  const recorder = await recorderOf(sandbox, world);
  try {
    await authentication(recorder, sandbox);
    await bookings(recorder);
    await catalogue(recorder, "event-query" in flips ? 101 : 0);
    await hooks(recorder);
    await hostStory(recorder);
    await later(recorder);
    await recorder.settled();
    return recorder;
  } finally {
    await recorder.close();
    await world.control("delete", `worlds/${world.id}`);
  }
}

type Recorder = Awaited<ReturnType<typeof recorderOf>>;

const pairs = (headers: Headers) => [...headers].map(([name, value]) => ({ name, value }));

async function recorderOf(sandbox: TestSandbox, world: TestWorld) {
  const har: Har = { log: { version: "1.2", entries: [] } };
  const secrets = [world.clientSecret, world.clientId, anna.name, anna.email, anna.phone];
  const keep = (request: object, response: object) =>
    har.log.entries.push({ startedDateTime: new Date().toISOString(), request, response });
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = Object.entries(request.headers).map(([name, value]) => ({ name, value: String(value) }));
    const text = Buffer.concat(chunks).toString();
    keep(
      { method: "POST", url: "https://receiver.example/hook", headers, postData: { text } },
      { status: 204, headers: [], content: { size: 0 } },
    );
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  let byDefault = "";
  const send = async (
    method: string,
    path: string,
    { query = "", body, token = byDefault, headers = {} }: Sent = {},
  ) => {
    const url = `${sandbox.url}${path}${query && `?${query}`}`;
    const isForm = body instanceof URLSearchParams;
    const text = body === undefined ? undefined : isForm ? body.toString() : JSON.stringify(body);
    const type = isForm ? "application/x-www-form-urlencoded" : "application/json";
    const sent = new Headers({
      "accept-language": "en",
      ...(token && { authorization: `Bearer ${token}` }),
      ...(text !== undefined && { "content-type": type }),
      ...headers,
    });
    const answer = await fetch(url, { method, headers: sent, ...(text === undefined ? {} : { body: text }) });
    const received = await answer.text();
    const postData = text === undefined ? {} : { postData: { mimeType: type, text } };
    keep(
      { method, url, headers: pairs(sent), ...postData },
      { status: answer.status, headers: pairs(answer.headers), content: { text: received } },
    );
    return { status: answer.status, body: (received === "" ? undefined : JSON.parse(received)) as Body };
  };
  const token = async (more: Record<string, string> = {}) => {
    const own = { client_id: world.clientId, client_secret: world.clientSecret };
    const body = new URLSearchParams({
      grant_type: "client_credentials",
      audience: sandbox.url,
      ...own,
      ...more,
    });
    const { body: given } = await send("POST", "/oauth2/token", { body, token: "" });
    if (given.access_token) secrets.push(given.access_token);
    return given.access_token as string;
  };
  return {
    ...{ har, secrets, world, send, token },
    receiverUrl: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    renew: async () => {
      byDefault = await token();
    },
    book: (event: string, items: Item[] = [ADULT], more: object = {}) =>
      send("POST", "/v1/bookings", { body: inputFor(event, items, more) }),
    act: (name: string, input: object): Promise<Body> => done(world, name, input),
    settled: async () => {
      for (let tries = 0; tries < 600; tries++) {
        const { body } = await world.control("get", "messages?state=PENDING&limit=1");
        const waits = body.items?.some(({ deliveries }: Body) =>
          deliveries.some(({ state, attempts }: Body) => state === "PENDING" && attempts.length === 0),
        );
        if (!waits) return;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    close: () => new Promise((resolve) => receiver.close(resolve)),
  };
}

async function authentication({ send, token, renew, secrets }: Recorder, sandbox: TestSandbox): Promise<void> {
  await renew();
  await token({ scope: "booking.read everything" });
  await token({ audience: "https://other.example" });
  await send("GET", "/v1/orders", { token: await token({ scope: "booking.read" }) });
  const other = await sandbox.world({ seed: 77 });
  const { order_id } = await done(other, "bookAsHost", { event_id: "evt-evening", customer: guest, items: [ADULT] });
  await send("GET", `/v1/orders/${order_id}`);
  await other.control("delete", `worlds/${other.id}`);
  secrets.push(order_id);
  await send("GET", "/v1/experiences", { headers: { "accept-language": "fr" } });
}

async function bookings({ send, book, act }: Recorder): Promise<void> {
  await act("updateEvent", { event_id: "evt-evening", capacity: 100 });
  await send("GET", "/v1/events/evt-morning");
  await book("evt-morning");
  await send("GET", "/v1/events/evt-morning");
  const { body } = await book("evt-evening", [ticket("var-adult", 2), addOn("add-blanket")]);
  await send("GET", `/v1/bookings/${body.id}/tickets`);
  await send("GET", "/v1/bookings", { query: "colour=blue" });
  await book("evt-evening", [ADULT], { colour: "blue" });
  const { phone: _, ...silent } = anna;
  await book("evt-evening", [ADULT], { customer: silent });
  await book("evt-evening", [ADULT], { customer: { ...anna, vat_number: null } });
  await book("evt-evening", [ADULT], { customer: { ...anna, address: { ...anna.address, region: "" } } });
  await book("evt-nowhere");
  await send("GET", "/v1/bookings", { query: "limit=0" });
  await send("GET", "/v1/bookings", { query: "status=ACTIVE&status=CANCELLED" });
  await send("GET", "/v1/bookings", { query: "status%5B%5D=CANCELLED" });
  await send("GET", "/v1/bookings", { query: "sort=created_at&limit=1" });
  await send("GET", "/v1/bookings");
  await send("GET", "/v1/bookings", { query: `from=${ANCHOR}&limit=100` });
  await ordersOf(send, body.id);
}

async function ordersOf(send: Recorder["send"], bookingId: string): Promise<string> {
  const { items } = (await send("GET", "/v1/orders", { query: "sort=-created_at" })).body;
  const { id } = items.find(({ origin }: Body) => origin.id === bookingId);
  for (const part of ["line-items", "transactions", "refunds"]) await send("GET", `/v1/orders/${id}/${part}`);
  await send("GET", `/v1/orders/${id}`);
  return id;
}

async function catalogue({ send, act, book, world }: Recorder, more: number): Promise<void> {
  await send("GET", "/v1/experiences/exp-canal/content-blocks");
  const path = "/v1/experiences/exp-sailing/availabilities";
  await send("POST", path, { body: { filter: { event_ids: ["evt-multi"] } } });
  await send("GET", "/v1/events", { query: "from=2030-06-01T11:00:00%2B02:00" });
  await send("GET", "/v1/events", { query: "from=2030-06-01T09:00:00Z" });
  const at = (from: string, to: string) => ({ start_time: `2030-06-20T${from}`, end_time: `2030-06-20T${to}` });
  const sessions = [at("10:00:00", "14:00:00"), at("11:00:00", "13:00:00")];
  await world.act("createEvent", { id: "evt-two", experience_id: "exp-bike", sessions, capacity: 20 });
  await send("GET", "/v1/events/evt-two");
  for (let number = 0; number < more; number++)
    await act("createEvent", { experience_id: "exp-canal", sessions: [at("08:00:00", "09:00:00")], capacity: 5 });
  await send("GET", "/v1/events", { query: "limit=200" });
  const bikes = async () => {
    const { body } = await world.call("getEventAvailability", { path: { eventId: "evt-bike-noon" } });
    return body.constraints.find(({ type }: Body) => type === "RESOURCE_LIMIT").remaining as number;
  };
  for (let left = await bikes(); left > 0; left = await bikes()) await book("evt-bike-noon", [ticket("var-rider")]);
  await send("GET", "/v1/event-availabilities/evt-bike-noon");
  await book("evt-bike-noon", [ticket("var-own-bike")]);
}

async function hooks({ send, receiverUrl, book, secrets, settled }: Recorder): Promise<void> {
  const body = {
    url: receiverUrl,
    event_types: ["v1.booking.created", "v1.booking.updated", "v1.booking.cancelled"],
    state: "ENABLED",
  };
  const { body: made } = await send("POST", "/v1/webhook-subscriptions", { body });
  secrets.push(made.secret);
  const again = await send("POST", "/v1/webhook-subscriptions", { body });
  if (again.body.id) await send("DELETE", `/v1/webhook-subscriptions/${again.body.id}`);
  await book("evt-evening");
  await settled();
}

async function hostStory({ send, act, book, world, settled }: Recorder): Promise<void> {
  const paid = (more: object = {}) =>
    act("bookAsHost", { event_id: "evt-evening", customer: guest, items: [ADULT], payments: [{}], ...more });
  const own = (await book("evt-evening")).body;
  await act("cancelBooking", { booking_id: own.id });
  await ordersOf(send, own.id);
  const { id } = await paid();
  await send("GET", `/v1/bookings/${id}`);
  await act("moveBooking", { booking_id: id, event_id: "evt-tomorrow-evening" });
  await send("GET", `/v1/bookings/${id}`);
  await settled();
  const fee = await paid({ booking_fee: true });
  await act("cancelBooking", { booking_id: fee.id });
  await ordersOf(send, fee.id);
  const thirds = await paid({ event_id: "evt-bike-03", items: [ticket("var-third", 3)], skip_answers: true });
  await ordersOf(send, thirds.id);
  const card = await act("buyGiftCard", { initial_value: 25_000 });
  const { order_id } = await paid({ payments: [{ gift_card_id: card.id }] });
  await send("GET", `/v1/gift-cards/${card.id}`);
  await act("refundOrder", { order_id });
  await send("GET", `/v1/gift-cards/${card.id}`);
  await send("GET", `/v1/orders/${order_id}/refunds`);
  await send("GET", "/v1/orders", { query: "limit=10" });
  await act("issueGiftCard", { id: "gc-given", initial_value: 100, expires_at: "2030-06-02T00:00:00Z" });
  await send("POST", "/v1/gift-cards/gc-active/extend-expiry", { body: { expires_at: "2035-01-01T00:00:00Z" } });
  await send("POST", "/v1/gift-cards/gc-active/extend-expiry", { body: { expiry_date: "2036-12-31" } });
  await act("deactivateEvent", { event_id: "evt-tomorrow-evening" });
  await world.control("post", "clock/advance", { by: "P5D" });
}

async function later({ send, renew, book, receiverUrl }: Recorder): Promise<void> {
  await renew();
  await book("evt-bike-03", [ticket("var-rider")]);
  await send("GET", "/v1/bookings");
  await send("GET", "/v1/gift-cards/gc-soon");
  await send("GET", "/v1/gift-cards/gc-given");
  await send("GET", "/v1/events/evt-tomorrow-evening");
  const { items } = (await send("GET", "/v1/webhook-subscriptions")).body;
  const { id, url, event_types, state } = items.find((each: Body) => each.url === receiverUrl);
  await send("PUT", `/v1/webhook-subscriptions/${id}`, { body: { url, event_types, state } });
  let cursor: string | undefined = "";
  for (let pages = 0; cursor !== undefined && pages < 20; pages++) {
    const { body }: { body: Body } = await send("GET", "/v1/accounting-journal-entries", {
      query: `limit=100&from=${ANCHOR}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    });
    cursor = body.next || undefined;
  }
}

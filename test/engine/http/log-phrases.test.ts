// The log in words: what came of each entry, made by the sandbox for whoever lists it.
import { expect, it } from "vitest";
import { type Answered, anna, renewWorld, shareSandbox } from "../../sandbox.ts";
import { ADULT, inputFor, ticket } from "../operations/kit.ts";

const sandbox = shareSandbox({ fixture: "harbour-tours" });
const world = renewWorld(() => sandbox.world({ fixture: "harbour-tours" }));

const book = (token?: string) =>
  world.call("createBooking", {
    ...(token === undefined ? {} : { token }),
    body: inputFor("evt-evening", [ticket("var-adult", 2)]),
  });

const LOST = { operation: "createBooking", when: "after", status: 503, times: 1 };

const idOf = ({ headers }: Answered): string => headers["sandbox-request-id"] ?? "";

type Phrase = { text: string; record?: { id: string; title: string }; tone?: string };

async function reported(answered: Answered | string): Promise<string[]> {
  const id = typeof answered === "string" ? answered : answered.headers["sandbox-request-id"];
  const { body } = await world.control("get", "log?view=told&limit=1000");
  const { told } = body.items.find((entry: { id: string }) => entry.id === id);
  return told.map(({ text, record }: Phrase) => [text, record?.title].filter(Boolean).join(": "));
}

it("A booking and its cancellation show who, what, when and how much", async () => {
  const booked = await book();
  const [title] = await reported(booked);
  expect(await reported(booked)).toEqual([
    expect.stringMatching(/^booking created: .+ · 2030-06-01 /),
    "DKK 500.00 paid",
  ]);
  const cancelled = await world.act("cancelBooking", { booking_id: booked.body.id });
  expect(await reported(cancelled)).toEqual([title?.replace("created", "cancelled"), "DKK 500.00 refunded"]);
  const read = await world.call("getBooking", { path: { bookingId: booked.body.id } });
  expect(await reported(read)).toEqual([title?.replace("booking created: ", "")]);
});

it("Several records of a kind are counted, and a clock move shows its due work", async () => {
  const cancelled = await world.act("cancelEvent", { event_id: "evt-morning" });
  expect(await reported(cancelled)).toEqual([
    ...["event cancelled: 2030-06-02 10:00 · Canal tour", "2 bookings cancelled", "DKK 1,445.00 refunded"],
  ]);
  await world.control("post", "clock/advance", { by: "P1D" });
  const { body } = await world.control("get", "log?kinds=clock");
  expect(await reported(body.items[0].id)).toEqual([
    "3 journal entries given a document",
    "booking lapsed: Bo Lund · 2030-06-01 19:00 · Canal tour",
    "3 events completed",
    "DKK 1,940.00 recognised as revenue",
  ]);
});

it("A duplicate of one client is reported, and a rejected request shows no facts", async () => {
  const first = await book();
  const second = await book();
  expect(await reported(second)).toEqual([
    `made twice: ${idOf(first)} made the same`,
    "booking created: Anna Holm · 2030-06-01 19:00 · Canal tour",
    "DKK 500.00 paid",
  ]);
  const refused = await world.call("getBooking", { path: { bookingId: "bkg-nowhere" } });
  expect(await reported(refused)).toEqual([]);
});

it("A booking with a failed response is reported as created", async () => {
  expect((await world.control("put", "faults", { faults: [LOST] })).status).toBe(200);
  const booked = await book();
  expect(booked.status).toBe(503);
  expect((await reported(booked)).slice(0, 2)).toEqual([
    "carried out, but the answer was 503",
    "booking created: Anna Holm · 2030-06-01 19:00 · Canal tour",
  ]);
});

it("A record that was ended or undone first is no duplicate, nor is that of another client", async () => {
  const created = ["booking created: Anna Holm · 2030-06-01 19:00 · Canal tour", "DKK 500.00 paid"];
  const first = await book();
  await world.act("cancelBooking", { booking_id: first.body.id });
  const second = await book();
  expect(await reported(second)).toEqual(created);
  await world.control("post", "rewind", { to: idOf(first) });
  await world.act("cancelBooking", { booking_id: first.body.id });
  expect(await reported(await book())).toEqual(created);
  const { client_id, client_secret } = (
    await world.act("createKey", { name: "Another program", scopes: ["booking.write"] })
  ).body.result;
  const form = { grant_type: "client_credentials", audience: sandbox.url, client_id, client_secret };
  const answer = await fetch(`${sandbox.url}/oauth2/token`, { method: "POST", body: new URLSearchParams(form) });
  const { access_token } = (await answer.json()) as { access_token: string };
  expect(await reported(await book(access_token))).toEqual(created);
});

it("A repeat that is rejected because the first succeeded is reported", async () => {
  await world.control("put", "faults", { faults: [LOST] });
  const lastSeat = (headers: Record<string, string> = {}) =>
    world.call("createBooking", { headers, body: inputFor("evt-last-seat") });
  const lost = await lastSeat();
  const refused = await lastSeat({ "idempotency-key": "k-1" });
  expect([lost.status, refused.status]).toEqual([503, 409]);
  expect(await reported(refused)).toEqual([
    `${idOf(lost)}, the same, was carried out, and only its answer was lost: Anna Holm · 2030-06-08 19:00 · Canal tour`,
  ]);
  const { body } = await world.control("get", `why/${idOf(refused)}`);
  const { message, smallest } = body.refusal;
  expect(message).toMatch(
    /^req-\S+, the same request, was carried out and created booking \S+; only its response was lost\. Event evt-last-seat has 0/,
  );
  expect(smallest).toEqual({
    text: "Search for the record by your own reference before you send the request again.",
    tried: false,
  });
});

it("Another booking of the same client is not reported as a repeat of the one with the lost response", async () => {
  await world.control("put", "faults", { faults: [LOST] });
  const lost = await book();
  const another = inputFor("evt-evening", [ADULT], { customer: { ...anna, name: "Bo Lund" } });
  expect((await world.call("createBooking", { body: another })).status).toBe(201);
  const { body } = await world.control("get", `why/${idOf(lost)}`);
  expect(body.refusal.message).toMatch(/^It was carried out and created booking \S+; only its response was lost\.$/);
  const second = await book();
  const again = await world.control("get", `why/${idOf(lost)}`);
  expect(again.body.refusal.message).toContain(
    `The same client sent createBooking again, and ${idOf(second)} also created booking ${second.body.id}.`,
  );
});

// What the log shows of a program: the checks of a verdict that need no run, each with its sentence and the requests behind it.
import { expect, it } from "vitest";
import { checks, isLinter } from "../../../../src/verdict/index.ts";
import { shareSandbox, type TestWorld } from "../../../sandbox.ts";
import { ADULT, inputFor } from "../../operations/kit.ts";

const sandbox = shareSandbox({ fixture: "harbour-tours" });

const found = async (world: TestWorld) => (await world.control("get", "lint")).body;
const sentencesIn = async (world: TestWorld): Promise<string[]> =>
  (await found(world)).items.map(({ id, outcome, says }: Record<string, string>) => `${id} ${outcome}: ${says}`);
const evidenceIn = async (world: TestWorld): Promise<[string, string[]][]> =>
  (await found(world)).items.map(({ id, evidence }: { id: string; evidence: { id: string }[] }) => [
    id,
    evidence.map((each) => each.id),
  ]);
const book = (more?: object) => ({ body: inputFor("evt-evening", [ADULT], more) });
const idOf = ({ headers }: { headers: Record<string, string> }): string => headers["sandbox-request-id"] ?? "";

it("A world without requests of a program shows nothing, which is no pass", async () => {
  const { requests, dropped, items } = await found(await sandbox.world());
  expect([requests, dropped]).toEqual([0, { count: 0, since: 0 }]);
  expect(items.map(({ id, outcome }: Record<string, string>) => [id, outcome])).toEqual(
    checks.filter(isLinter).map(({ id }) => [id, "not-exercised"]),
  );
});

it("A careless program is judged as in a verdict, with the requests as evidence", async () => {
  const world = await sandbox.world({ fixture: "harbour-tours" });
  const [token = "", ...needless] = [await world.token(), await world.token(), await world.token()];
  expect(needless).toHaveLength(2);
  const strange = await world.call("listBookings", { token, query: { cursor: "made-up" } });
  const open = await world.call("getMe", { token, query: `access_token=${token}` });
  const bare = await world.call("createBooking", { token, ...book() });
  const invalid = await world.call("createBooking", { token, ...book({ items: [] }) });
  await world.call("createBooking", { token, ...book({ items: [] }) });
  expect(await sentencesIn(world)).toEqual([
    "AUTH-02 warn: 3 tokens for 5 requests, with the same scopes and within one lifetime",
    "AUTH-04 warn: requests with a secret in the address: 1",
    "AUTH-05 warn: 11 scopes requested but never needed; these are enough: booking.read booking.write",
    "BOOK-03 warn: 1 of 1 bookings without a reference of your own",
    "BOOK-04 warn: an invalid booking was repeated unchanged",
    "PAGE-01 warn: a cursor was sent that no page contained",
    "SYNC-01 not-exercised: nothing was listed",
    "LANG-01 not-exercised: no request for an operation with texts",
  ]);
  expect(Object.fromEntries(await evidenceIn(world))).toMatchObject({
    "AUTH-04": [idOf(open)],
    "BOOK-03": [idOf(bare)],
    "BOOK-04": [idOf(invalid)],
    "PAGE-01": [idOf(strange)],
  });
});

it("A secret of any key of the world, and a token, is found in a URL under any parameter name", async () => {
  const world = await sandbox.world();
  const { result } = (await world.act("createKey", { name: "second", scopes: ["booking.read"] })).body;
  const open = await world.call("listBookings", { query: `hint=${result.client_secret}` });
  const token = await world.token();
  const alike = await world.call("listBookings", { token, query: `key=${token}` });
  const path = await world.call("getBooking", { token, path: { bookingId: token } });
  // A cursor is as long as a secret, and is none.
  await world.call("listBookings", { token, query: `cursor=${"c".repeat(40)}` });
  const { items } = await found(world);
  expect(items.find(({ id }: { id: string }) => id === "AUTH-04").evidence).toMatchObject([
    { id: idOf(open), says: "GET /v1/bookings?hint=…" },
    { id: idOf(alike), says: "GET /v1/bookings?key=…" },
    { id: idOf(path), says: `GET /v1/bookings/${world.id}.[redacted]` },
  ]);
});

it("Requests of a person do not count", async () => {
  const world = await sandbox.world();
  const { access_token: token } = (await world.control("post", "token", { sent_by: "person" })).body;
  await world.call("getMe");
  const before = await found(world);
  await world.call("getMe", { token });
  expect(await found(world)).toEqual(before);
  await world.call("getMe");
  expect((await found(world)).requests).toBe(before.requests + 1);
});

it.each([
  [100, /^SYNC-01 warn: listBookings was polled 100 times, every \d+ ms, and nothing is subscribed$/],
  [99, /^SYNC-01 pass: nothing was polled$/],
])("A list that is requested %i times without a pause", async (times, says) => {
  const world = await sandbox.world({ fixture: "empty" });
  // At once, or a busy machine would put pauses between them.
  await Promise.all([...Array(times)].map(() => world.call("listBookings")));
  expect((await sentencesIn(world)).find((each) => each.startsWith("SYNC-01"))).toMatch(says);
});

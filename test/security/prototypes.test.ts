// Names of the prototype, wherever a name may come from: refused, or a name like any other. Never what every object inherits. Public
// bodies and queries are tried by `test/engine/http/bodies.test.ts` and `test/engine/http/paths.test.ts`, files by `deep-and-swollen-files.test.ts`.
import { afterEach, describe, expect, it } from "vitest";
import { FORM, form, send, stateOf } from "../engine/http/http-kit.ts";
import { anna, shareSandbox, shareWorld } from "../sandbox.ts";

const INHERITED = Object.getOwnPropertyNames(Object.prototype).sort();
const NAMES = ["constructor", "prototype", "toString", "hasOwnProperty", "valueOf", "__defineGetter__"];
const POLLUTING = [
  '"__proto__":{"polluted":true}',
  '"__\\u0070roto__":{"polluted":true}',
  '"constructor":{"prototype":{"polluted":true}}',
];

const sandbox = shareSandbox({ fixture: "harbour-tours" });
const world = shareWorld(sandbox, { fixture: "harbour-tours" });
afterEach(() => {
  expect({}).not.toHaveProperty("polluted");
  expect([]).not.toHaveProperty("polluted");
  expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(INHERITED);
});

const control = (method: string, path: string, body: string) =>
  send(sandbox, `/_sandbox${path}`, {
    method,
    body,
    headers: { "content-type": "application/json", "sandbox-world": world.id },
  });

const BODIES: [method: string, path: string, around: (members: string) => string][] = [
  ["POST", "/acts/submitConsent", (members) => `{"full_name":"Bo","email":"bo@example.com",${members}}`],
  ["POST", "/acts/updateBooking", (members) => `{"booking_id":"bkg-evening","metadata":{${members}}}`],
  ["POST", "/worlds", (members) => `{"fixture":"empty",${members}}`],
  ["POST", "/trigger", (members) => `{"kind":"v1.marketing_consent.created","set":{${members}}}`],
  ["PUT", "/faults", (members) => `{"faults":[{"operation":"getMe","status":500,"times":1,${members}}]}`],
  ["PUT", "/assumptions", (members) => `{${members}}`],
  ["POST", "/clock/advance", (members) => `{"by":"PT1S",${members}}`],
  ["PUT", "/state", (members) => `{"format":"experience-sandbox world","version":1,"collections":{${members}}}`],
];

describe.each(BODIES)("A body of the control API: %s %s", (method, path, around) => {
  it.each(POLLUTING)("with %s", async (members) => {
    const before = await stateOf(world);
    const { status, text } = await control(method, path, around(members));
    expect([status < 500, text]).toEqual([true, expect.any(String)]);
    if (!members.startsWith('"constructor"')) expect(status).toBe(400);
    if (status >= 400) expect(await stateOf(world)).toBe(before);
  });
});

describe("An imported world", () => {
  it.each(["__proto__", ...NAMES])("can't have a collection %s", async (name) => {
    const { body } = await world.control("get", "state");
    const { checksum: _, ...document } = body;
    const text = JSON.stringify(document).replace('"collections":{', `"collections":{"${name}":[{"id":"x"}],`);
    const before = await stateOf(world);
    expect((await control("PUT", "/state", text)).status).toBe(400);
    expect(await stateOf(world)).toBe(before);
  });

  it.each(["__proto__", ...NAMES])(
    "can have a record with the id %s if ids have that format, and it is an ordinary one",
    async (id) => {
      const own = await sandbox.world({ fixture: "empty" });
      const { body } = await own.control("get", "state");
      const { checksum: _, ...document } = body;
      const made = {
        created_at: "2030-06-01T09:00:00.000Z",
        company_id: "cmp-empty",
        full_name: "Bo",
        source: "checkout",
      };
      document.collections.consents = [{ id, ...made, email: "bo@example.com" }];
      const isId = /^[A-Za-z0-9]/.test(id);
      expect((await own.control("put", "state", document)).status).toBe(isId ? 200 : 400);
      if (!isId) return;
      const { items } = (await own.call("listMarketingConsents")).body;
      expect(items.map((each: { id: string }) => each.id)).toEqual([id]);
      expect((await own.call("getMarketingConsent", { path: { consentId: id } })).body.id).toBe(id);
    },
  );
});

describe("A name that objects inherit", () => {
  it.each(NAMES)("%s is ordinary metadata", async (name) => {
    const metadata = { [name]: "kept" };
    const items = [{ type_id: "var-adult", item_type: "VARIANT", quantity: 1 }];
    const input = { event_id: "evt-tomorrow-evening", customer: anna, locale: "da", items, metadata };
    const { status, body } = await world.call("createBooking", { body: input });
    expect(status, JSON.stringify(body)).toBe(201);
    const read = (await world.call("getBooking", { path: { bookingId: body.id } })).body.metadata;
    expect([Object.keys(read), read[name]]).toEqual([[name], "kept"]);
  });

  // An id begins with a letter or a digit.
  it.each(NAMES.filter((name) => !name.startsWith("_")))("%s is an ordinary variant with its limit", async (name) => {
    const own = await sandbox.world({ fixture: "harbour-tours" });
    const price = { currency: "DKK", value: 10_000, exponent: 2 };
    const variant = { id: name, name: "Adult", limit: 5, price, vat_rate: "0.25" };
    await own.act("createExperience", {
      id: "exp-own",
      name: "Own",
      booking_cutoff: null,
      ticket_variants: [variant],
    });
    const sessions = [{ start_time: "2030-09-20T10:00", end_time: "2030-09-20T12:00" }];
    await own.act("createEvent", { id: "evt-own", experience_id: "exp-own", capacity: 10, sessions });
    const booked = (quantity: number) =>
      own.act("bookAsHost", {
        event_id: "evt-own",
        customer: anna,
        items: [{ type_id: name, item_type: "VARIANT", quantity }],
      });
    expect((await booked(6)).body).toMatchObject({ code: "NOT_ENOUGH_RESOURCES" });
    expect((await booked(2)).status).toBe(200);
    const window = { path: { experienceId: "exp-own" }, body: { from: "2030-09-01T00:00:00" } };
    const [available] = (await own.call("listAvailabilities", window)).body.items;
    expect(available.constraints[0].ticket_variants).toEqual([{ id: name, available: true, remaining: 3 }]);
    const event = (await own.control("get", "records/events/evt-own")).body;
    expect(JSON.stringify(event)).toContain(`"sold":{"${name}":2}`);
  });

  it.each(["__proto__", ...NAMES])("%s is no booking, no world, no act, no fixture and no client", async (name) => {
    expect((await world.call("getBooking", { path: { bookingId: name } })).status).toBe(404);
    expect((await world.control("get", `worlds/${name}`)).status).toBe(404);
    expect((await world.act(name)).status).toBe(404);
    expect((await world.control("post", "worlds", { fixture: name })).status).toBe(400);
    const grant = { grant_type: "client_credentials", audience: sandbox.url, client_id: name, client_secret: name };
    expect(
      (await send(sandbox, "/oauth2/token", { body: form({ ...grant, [name]: "1" }), headers: FORM })).status,
    ).toBe(401);
  });
});

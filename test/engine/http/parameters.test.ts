// What a query and a body may leave open: parameters that are sent twice or empty, date-times, null, and the sentences that a
// refusal has for them. Assumptions: list-parameter-repeated, parameter-brackets, parameter-empty, datetime-strictness, event-window-format.
import { beforeAll, describe, expect, it } from "vitest";
import { anna, routes, shareSandbox, type TestWorld } from "../../sandbox.ts";
import { ADULT, book } from "../operations/kit.ts";
import { send, violationsOf } from "./http-kit.ts";

const sandbox = shareSandbox({ fixture: "harbour-tours" });
let world: TestWorld;
let token: string;
beforeAll(async () => {
  world = await sandbox.world();
  token = await world.token();
});

const get = (path: string) => send(sandbox, path, { token });

describe("A repeated parameter is rejected", () => {
  it.each([
    ["status=PROCESSING&status=MOVED", "status=PROCESSING,MOVED."],
    ["status=NONSENSE&status=MOVED", "status=NONSENSE,MOVED."],
    ["status=CANCELLED&status=MOVED,CHECKED_IN", "status=CANCELLED,MOVED,CHECKED_IN."],
  ])("with the format of a list: %s", async (query, advice) => {
    const answer = await get(`/v1/bookings?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toBe(
      `query.status was sent 2 times. Write the values in one parameter, separated by commas: ${advice}`,
    );
    expect(violationsOf(answer)).toEqual([
      { location: ["query", "status"], code: "repeated", message: answer.body.message, severity: "Error" },
    ]);
  });

  it.each(["cursor", "limit", "from", "to", "sort"])("%s", async (name) => {
    const answer = await get(`/v1/bookings?${name}=1&${name}=1&${name}=1`);
    expect([answer.status, answer.body.message]).toEqual([400, `query.${name} was sent 3 times. Send it once.`]);
  });

  it("and the other violations are listed with it", async () => {
    const answer = await get("/v1/bookings?status=MOVED&status=MOVED&limit=0&from=now");
    expect(violationsOf(answer).map(({ location }) => location.join("."))).toEqual([
      "query.status",
      "query.limit",
      "query.from",
    ]);
  });
});

describe("A documented parameter in brackets is rejected", () => {
  const LIST = "Write the name without brackets, with its values in one parameter, separated by commas:";
  it.each([
    ["status[]=CANCELLED", "status[]", `${LIST} status=CANCELLED.`],
    ["status%5B%5D=CANCELLED&status%5B%5D=MOVED", "status[]", `${LIST} status=CANCELLED,MOVED.`],
    ["status[0]=CANCELLED", "status[0]", `${LIST} status=CANCELLED.`],
    ["filter[status]=CANCELLED", "filter[status]", `${LIST} status=CANCELLED.`],
    ["limit[]=1", "limit[]", "Write the name without brackets: limit=1."],
  ])("%s", async (query, name, advice) => {
    const answer = await get(`/v1/bookings?${query}`);
    expect([answer.status, answer.body.message]).toEqual([400, `query.${name} is not read. ${advice}`]);
    expect(violationsOf(answer)).toEqual([
      { location: ["query", name], code: "brackets", message: answer.body.message, severity: "Error" },
    ]);
  });

  it("but an undocumented name in brackets is ignored", async () => {
    expect((await get("/v1/bookings?colour[]=red&limit=1")).status).toBe(200);
  });
});

const inQuery = [...routes.values()].flatMap(({ id, operation }) =>
  (operation.request?.query ?? []).map((parameter) => [id, operation.path, parameter] as const),
);

describe("An empty parameter counts as missing", () => {
  it.each(inQuery.map(([id, path, { name, required }]) => [id, name, path, required] as const))(
    "on %s: %s",
    async (_id, name, path, required) => {
      const byDefault = path === "/v1/event-availabilities" && name !== "experienceId" ? "experienceId=exp-canal" : "";
      const ask = (query: string) =>
        send(sandbox, `${path.replace("{experienceId}", "exp-canal").replace(/\{\w+\}/, "none")}?${query}`, {
          token,
          headers: { "accept-language": "en" },
        });
      const [without, empty, twice] = [
        await ask(byDefault),
        await ask(`${byDefault}&${name}=`),
        await ask(`${byDefault}&${name}=&${name}`),
      ];
      expect([empty.status, empty.text]).toEqual([without.status, without.text]);
      expect([twice.status, twice.text]).toEqual([without.status, without.text]);
      if (required) expect([empty.status, empty.body.message]).toEqual([400, `query.${name} is required.`]);
    },
  );

  it("and the specification documents it for each optional parameter", () => {
    const silent = inQuery.filter(([, , { required, ...rest }]) => !required && !("allowEmptyValue" in rest));
    expect(silent.map(([id, , { name }]) => `${id} ${name}`)).toEqual([]);
  });
});

const DATE_TIME = "a date-time with its offset, such as 2030-06-01T09:00:00Z or 2030-06-01T11:00:00+02:00 (RFC 3339)";
const PLUS = " A + in a URL is decoded as a space: write %2B.";

describe("A malformed date-time is rejected with a description", () => {
  it.each([
    [
      "/v1/bookings?from=",
      "2026-11-01T00:00:00+01:00",
      `must be ${DATE_TIME}; it is "2026-11-01T00:00:00 01:00".${PLUS}`,
    ],
    ["/v1/orders?to=", "2026-11-01T00:00:00%2B0000", `must be ${DATE_TIME}; it is "2026-11-01T00:00:00+0000".`],
    [
      "/v1/accounting-journal-entries?from=",
      "2026-11-21%2020:00:00Z",
      `must be ${DATE_TIME}; it is "2026-11-21 20:00:00Z".`,
    ],
    ["/v1/bookings?to=", "2026-11-21", `must be ${DATE_TIME}; it is "2026-11-21".`],
    [
      "/v1/events?from=",
      "yesterday",
      'must be a local date-time such as 2030-06-01T09:00:00, or one in UTC such as 2030-06-01T09:00:00Z; it is "yesterday".',
    ],
    [
      "/v1/events?to=",
      "2030-06-01T00:00:00+02:00",
      `must be a local date-time such as 2030-06-01T09:00:00, or one in UTC such as 2030-06-01T09:00:00Z; it is "2030-06-01T00:00:00 02:00".${PLUS}`,
    ],
    [
      "/v1/bookings?sort=",
      "+created_at",
      `must be created_at or updated_at, alone or after + (written %2B) or -, such as -created_at; it is " created_at".${PLUS}`,
    ],
  ])("%s%s", async (path, value, sentence) => {
    const answer = await get(`${path}${value}`);
    const name = /\?(\w+)=/.exec(path)?.[1];
    expect([answer.status, answer.body.message]).toEqual([400, `query.${name} ${sentence}`]);
  });

  it("an invalid day is reported, and no invalid format is suggested", async () => {
    const answer = await get("/v1/events?from=2030-02-30T00:00:00");
    const sentence = "query.from: 2030-02-30T00:00:00 is not a date of the calendar. Check the day.";
    expect([answer.status, answer.body.message]).toEqual([400, sentence]);
  });

  it("also in the window of availabilities, and at the expiry of a gift card", async () => {
    const path = "/v1/experiences/exp-canal/availabilities";
    const ask = async (from: string) => (await send(sandbox, path, { token, body: { from } })).status;
    expect([await ask("2030-06-01T09:00:00Z"), await ask("2030-06-01T09:00:00")]).toEqual([200, 200]);
    expect([await ask("2030-06-01T09:00:00+02:00"), await ask("2030-06-01 09:00:00")]).toEqual([400, 400]);
    const card = await world.call("extendGiftCardExpiry", {
      path: { giftCardId: "gc-active" },
      body: { expires_at: "2039-06-01 09:00:00Z" },
    });
    expect([card.status, card.body.message]).toEqual([
      400,
      `body.expires_at must be ${DATE_TIME}; it is "2039-06-01 09:00:00Z".`,
    ]);
  });
});

describe("A customer", () => {
  const made = async (change: object) => {
    const answer = await book(world, "evt-evening", [ADULT], { customer: { ...anna, ...change } });
    const id = answer.headers["sandbox-request-id"];
    const { notes } = (await world.control("get", `requests/${id}`)).body;
    const { body } = await world.call("getBooking", { path: { bookingId: answer.body.id ?? "none" } });
    return { status: answer.status, notes, customer: body.customer };
  };

  it("without a phone is accepted, and the journal notes that the service may require one", async () => {
    const { phone: _, ...silent } = anna;
    const answer = await book(world, "evt-evening", [ADULT], { customer: silent });
    const { notes } = (await world.control("get", `requests/${answer.headers["sandbox-request-id"]}`)).body;
    expect([answer.status, notes]).toEqual([201, [expect.stringContaining("booking-customer-required")]]);
    expect((await made({})).notes).toEqual([]);
  });

  it("omits optional fields with an empty text", async () => {
    const { status, notes, customer } = await made({
      phone: "",
      vat_number: "",
      company_name: "",
      address: { ...anna.address, region: "" },
    });
    expect([status, notes]).toEqual([201, [expect.stringContaining("phone")]]);
    expect(Object.keys(customer).sort()).toEqual(["address", "customer_type", "email", "full_name", "name"]);
    expect(customer.address).not.toHaveProperty("region");
  });

  it.each(["name", "email"])("can't have an empty %s", async (name) => {
    expect((await made({ [name]: "" })).status).toBe(400);
  });
});

it("A cursor is valid in one world only, even if another has the same fixture and seed", async () => {
  const [one, other] = [await sandbox.world({ seed: 7 }), await sandbox.world({ seed: 7 })];
  const { next } = (await one.call("listExperiences", { query: { limit: 1 } })).body;
  const ask = async (requested: TestWorld) =>
    (await requested.call("listExperiences", { query: { cursor: next } })).status;
  expect([await ask(one), await ask(other)]).toEqual([200, 400]);
  await one.control("post", "state/reset");
  expect(await ask(one)).toBe(200);
});

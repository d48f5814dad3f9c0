// Who may call what: bearer tokens, their end, and the scope of each operation.
import { describe, expect, it } from "vitest";
import { routes, shareSandbox, shareWorld } from "../../sandbox.ts";
import { send, someIds } from "./http-kit.ts";

const sandbox = shareSandbox({ fixture: "empty" });
const world = shareWorld(sandbox, { fixture: "empty" });

const REALM = 'Bearer realm="sandbox"';
const INVALID = 'Bearer realm="sandbox", error="invalid_token"';
const me = (authorization?: string) =>
  send(sandbox, "/v1/me", authorization === undefined ? {} : { headers: { authorization } });

describe("A request without a valid bearer token gets 401", () => {
  it.each([
    ["when nothing was sent", undefined, REALM],
    ["when the header is empty", "", REALM],
    ["with HTTP Basic", "Basic YTpi", REALM],
    ["with a token that has no scheme", "abc", REALM],
    ["with a scheme that has no token", "Bearer", INVALID],
    ["with two tokens", "Bearer abc def", INVALID],
    ["with characters that no token has", "Bearer a,b", INVALID],
    ["with a token in quotes", 'Bearer "abc"', INVALID],
    ["with a token that nobody issued", `Bearer ${"a".repeat(43)}`, INVALID],
    ["with a token called __proto__", "Bearer __proto__", INVALID],
    ["with a very long token", `Bearer ${"a".repeat(20_000)}`, INVALID],
  ])("%s", async (_, authorization, challenge) => {
    const answer = await me(authorization);
    expect([answer.status, answer.headers["www-authenticate"]]).toEqual([401, challenge]);
    expect(answer.body).toEqual({ code: "UNAUTHORIZED", message: expect.stringContaining("POST /oauth2/token") });
    expect(answer.text).not.toContain("aaaa");
  });

  it.each([...routes.values()].filter(({ operation }) => operation.path.startsWith("/v1")).map(({ id }) => id))(
    "from %s",
    async (id) => {
      const answer = await world.call(id, {
        token: null,
        path: someIds,
      });
      expect([answer.status, answer.headers["www-authenticate"]]).toEqual([401, REALM]);
    },
  );
});

describe("The scheme is case-insensitive, with any number of spaces:", () => {
  it.each(["Bearer ", "bearer ", "BEARER ", "Bearer    "])("%s", async (scheme) => {
    expect((await me(`${scheme}${await world.token()}`)).status).toBe(200);
  });
});

it("A token expires by the world's clock, after 3599 seconds", async () => {
  const own = await sandbox.world({ fixture: "empty" });
  const token = await own.token();
  await own.control("post", "clock/advance", { by: "PT3598S" });
  expect((await me(`Bearer ${token}`)).status).toBe(200);
  await own.control("post", "clock/advance", { by: "PT1S" });
  const answer = await me(`Bearer ${token}`);
  expect([answer.status, answer.headers["www-authenticate"]]).toEqual([401, INVALID]);
  expect(answer.body.message).toContain("expired at 2030-06-01T09:59:59.000Z");
  expect((await me(`Bearer ${await own.token()}`)).status).toBe(200);
});

it("A token expires with its world, and survives a reset of it", async () => {
  const own = await sandbox.world({ fixture: "empty" });
  const token = await own.token();
  await own.control("post", "state/reset");
  expect((await me(`Bearer ${token}`)).status).toBe(200);
  await own.control("delete", `worlds/${own.id}`);
  expect((await me(`Bearer ${token}`)).status).toBe(401);
});

/** As published; the specification must say the same. */
const SCOPES: Record<string, string[]> = {
  "booking.read": ["listBookings", "getBooking", "listBookingTickets", "listBookingInformationRequestAnswers"],
  "booking.write": ["createBooking"],
  "event.read": ["listEvents", "getEvent", "listEventAvailabilities", "getEventAvailability"],
  "experience.read": [
    "listExperiences",
    "getExperience",
    "listInformationRequests",
    "listTicketVariants",
    "listContentBlocks",
    "listAvailabilities",
    "getAvailability",
  ],
  "order.read": ["listOrders", "getOrder", "listOrderLineItems", "listOrderTransactions", "listOrderRefunds"],
  "gift-card.read": ["listGiftCards", "getGiftCard"],
  "gift-card.write": ["extendGiftCardExpiry"],
  "location.read": ["listLocations", "getLocation"],
  "marketing.read": ["listMarketingConsents", "getMarketingConsent"],
  "accounting.read": ["listJournalEntries", "getJournalEntry"],
  "accounting.write": ["recordJournalEntryActivity"],
  "webhook.read": ["listWebhookSubscriptions", "getWebhookSubscription"],
  "webhook.write": ["createWebhookSubscription", "replaceWebhookSubscription", "deleteWebhookSubscription"],
};
const rows = Object.entries(SCOPES).flatMap(([scope, ids]) => ids.map((id) => [id, scope] as const));

describe("The scope of each operation", () => {
  const tokens = new Map<string, Promise<string>>();
  const tokenWith = (scopes: string[]) => {
    const key = scopes.join(" ");
    const known = tokens.get(key) ?? world.token(scopes);
    tokens.set(key, known);
    return known;
  };

  it("is defined once for each operation", () => {
    const served = [...routes.values()].filter(({ scopes }) => scopes.length > 0);
    expect(rows.map(([id]) => id).sort()).toEqual(served.map(({ id }) => id).sort());
    for (const [id, scope] of rows) expect([id, routes.get(id)?.scopes]).toEqual([id, [scope]]);
  });

  it.each(rows)("%s needs %s", async (id, scope) => {
    const others = Object.keys(SCOPES).filter((other) => other !== scope);
    const refused = await world.call(id, { path: someIds, token: await tokenWith(["openid", ...others]) });
    expect(refused.status).toBe(403);
    expect(refused.headers["www-authenticate"]).toBe(`Bearer error="insufficient_scope", scope="${scope}"`);
    expect(refused.body).toEqual({
      code: "UNAUTHORIZED",
      message: expect.stringContaining(`${id} needs the scope ${scope}`),
    });
    const accepted = await world.call(id, { path: someIds, token: await tokenWith([scope]) });
    expect([200, 400, 404]).toContain(accepted.status);
  });

  it("is none for getMe: any valid token is enough", async () => {
    expect((await world.call("getMe", { token: await tokenWith(["openid"]) })).status).toBe(200);
  });

  it("is reported as FORBIDDEN if it is missing, under that assumption", async () => {
    const own = await sandbox.world({ fixture: "empty" });
    await own.control("put", "assumptions", { "scope-missing": "FORBIDDEN" });
    const answer = await own.call("listOrders", { token: await own.token(["openid"]) });
    expect([answer.status, answer.body.code]).toEqual([403, "FORBIDDEN"]);
  });

  it("is checked before anything else of the request", async () => {
    const answer = await world.call("listBookings", { query: "limit=0", token: await tokenWith(["openid"]) });
    expect(answer.status).toBe(403);
  });
});

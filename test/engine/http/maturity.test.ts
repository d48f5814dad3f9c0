// What is not ready for production: marked on every answer, and refused where the sandbox plays production.
import { describe, expect, it } from "vitest";
import { routes, shareSandbox, shareWorld } from "../../sandbox.ts";
import { send, someIds } from "./http-kit.ts";

const PREVIEW = `listExperiences getExperience listInformationRequests listTicketVariants listEvents
  getEvent listAvailabilities getAvailability listEventAvailabilities getEventAvailability`.split(/\s+/);
const ALPHA = "listContentBlocks createBooking listJournalEntries getJournalEntry recordJournalEntryActivity".split(
  " ",
);
const labelOf = (id: string) => (PREVIEW.includes(id) ? "preview" : ALPHA.includes(id) ? "alpha" : "stable");
const all = [...routes.values()]
  .filter(({ operation }) => operation.path.startsWith("/v1"))
  .map(({ id }) => [id, labelOf(id)] as const);

const byDefault = shareSandbox({ fixture: "empty" });
const production = shareSandbox({ fixture: "empty", maturity: "production" });
const world = shareWorld(byDefault, { fixture: "empty" });
const strict = shareWorld(production, { fixture: "empty" });

it.each(all)("%s has its label %s in every response", async (id, label) => {
  const served = await world.call(id, { path: someIds });
  const refused = await world.call(id, { path: someIds, token: null });
  expect([served.headers["sandbox-maturity"], refused.headers["sandbox-maturity"]]).toEqual([label, label]);
  expect(served.body?.code).not.toBe("NOT_AVAILABLE_IN_PRODUCTION");
});

it.each([
  ["GET", "/v1/nothing", 404, "stable"],
  ["GET", "/files/x/tickets/x.pdf", 404, "stable"],
  ["GET", "/healthz", 200, "stable"],
  ["POST", "/healthz", 405, "stable"],
  ["GET", "/openapi.json", 200, "stable"],
  ["GET", "/openapi.yaml", 200, "stable"],
  ["DELETE", "/v1/orders", 405, "stable"],
  ["DELETE", "/v1/events", 405, "stable"],
  ["OPTIONS", "/v1/events", 204, "stable"],
  ["OPTIONS", "/v1/accounting-journal-entries/x", 204, "stable"],
  ["POST", "/oauth2/token", 400, "stable"],
  ["GET", "/_sandbox", 200, undefined],
  ["GET", "/_sandbox/nothing", 404, undefined],
  ["OPTIONS", "/_sandbox", 204, undefined],
])("%s %s gets %i with the label %s", async (method, path, status, label) => {
  const answer = await send(byDefault, path, { method });
  expect([answer.status, answer.headers["sandbox-maturity"]]).toEqual([status, label]);
});

describe("In production", () => {
  it.each(all.filter(([, label]) => label === "preview"))(
    "%s is not available, because it is %s",
    async (id, label) => {
      const answer = await strict.call(id, { path: someIds });
      expect([answer.status, answer.body.code]).toEqual([404, "NOT_AVAILABLE_IN_PRODUCTION"]);
      expect(answer.body.message).toMatch(/^\w+ is labelled Preview: /);
      expect(answer.headers["sandbox-maturity"]).toBe(label);
    },
  );

  it.each(all.filter(([, label]) => label !== "preview"))("%s is served, because it is %s", async (id) => {
    const answer = await strict.call(id, { path: someIds });
    expect([200, 400, 404]).toContain(answer.status);
    expect(answer.body?.code).not.toBe("NOT_AVAILABLE_IN_PRODUCTION");
  });

  it("a token is required first, and then the scope", async () => {
    expect((await strict.call("listEvents", { token: null })).status).toBe(401);
    expect((await strict.call("listEvents", { token: await strict.token(["openid"]) })).body.code).toBe("UNAUTHORIZED");
  });

  it("the response is 403 under that assumption", async () => {
    const other = await production.world({ fixture: "empty" });
    await other.control("put", "assumptions", { "preview-production": "403" });
    const answer = await other.call("listEvents");
    expect([answer.status, answer.body.code]).toEqual([403, "NOT_AVAILABLE_IN_PRODUCTION"]);
  });

  it("is the reported mode of the sandbox", async () => {
    expect((await strict.control("get", "")).body.maturity).toBe("production");
  });
});

// Refusals of the control surface that have to say what the choice is, not what a schema thinks of it.
import { describe, expect, it } from "vitest";
import { shareSandbox, shareWorld } from "../../../sandbox.ts";

const sandbox = shareSandbox({ fixture: "empty" });
const world = shareWorld(sandbox);

const fault = (change: object) => ({ faults: [{ operation: "getMe", times: 1, ...change }] });
const FAULT = "body.faults.0";
const CHOICE = "body must hold exactly one of by, until or to; it is";
const BROKEN = "it breaks the connection, so there is no response with a";

const DATE_TIME = "a date-time with its offset, such as 2030-06-01T09:00:00Z or 2030-06-01T11:00:00+02:00 (RFC 3339)";
const EFFECTS = "status, code, delay_ms, connection, token, answer, page, stale, move or delivery";
const ID =
  "a name of at most 64 letters, digits and any of . _ -, beginning with a letter or digit, such as before-rush";
const BEYOND =
  "clock: the date 2030-06-05 of fixture harbour-tours would be outside the years 0000 to 9999. Choose a clock further inside.";

describe("A rejection names the choice:", () => {
  it.each<[string, object, string]>([
    ["post clock/advance", {}, `${CHOICE} {}.`],
    ["post clock/advance", { by: "P1D", to: "next" }, `${CHOICE} {"by":"P1D","to":"next"}.`],
    ["post clock/advance", { by: "a day" }, "body.by: a day is not an ISO 8601 duration such as P3D or PT0.5S."],
    ["post worlds", { clock: "yesterday" }, `body.clock must be ${DATE_TIME}, or now or anchor; it is "yesterday".`],
    ["put clock", {}, "body must not be empty; it is {}."],
    [
      "put faults",
      { faults: [{}] },
      `${FAULT} must hold at least one of ${EFFECTS}; it is {}. ${FAULT}.times is required.`,
    ],
    [
      "put faults",
      fault({ status: 503, connection: "reset" }),
      `${FAULT}.connection: ${BROKEN} status. Leave one out.`,
    ],
    [
      "put faults",
      fault({ code: "CONFLICT", connection: "empty" }),
      `${FAULT}.connection: ${BROKEN} code. Leave one out.`,
    ],
    ["post worlds", { clock: "9999-12-31T23:59:59Z", fixture: "harbour-tours" }, BEYOND],
    ["post worlds", { id: "a b" }, `body.id must be ${ID}; it is "a b".`],
  ])("%s %j", async (request, body, sentence) => {
    const [method, path = ""] = request.split(" ");
    const answer = await world.control(method as "post" | "put", path, body);
    expect([answer.status, answer.body.message]).toEqual([400, sentence]);
  });
});

it("A fault can break the connection or respond after a delay", async () => {
  for (const change of [{ delay_ms: 1, connection: "reset" }, { delay_ms: 1, status: 503 }, { connection: "empty" }])
    expect((await world.control("put", "faults", fault(change))).status).toBe(200);
  await world.control("delete", "faults");
});

it("The last possible clock of a world is accepted", async () => {
  const made = await world.control("post", "worlds", { clock: "9900-01-01T00:00:00Z", fixture: "harbour-tours" });
  expect(made.status).toBe(201);
});

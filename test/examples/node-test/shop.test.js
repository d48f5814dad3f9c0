// A CommonJS suite under node:test: one sandbox a file, one world a test.
const assert = require("node:assert/strict");
const { after, before, beforeEach, describe, it } = require("node:test");
const { startSandbox } = require("experience-sandbox");
const { book } = require("./shop.js");

const address = { address_lines: ["Nyhavn 12"], city: "København K", zip_code: "1051", country: "DK" };
const anna = { name: "Anna Holm", email: "anna@example.com", address };
let sandbox;
let world;
let api;

before(async () => {
  sandbox = await startSandbox();
});
after(() => sandbox.close());
beforeEach(async () => {
  world = await sandbox.world();
  api = { url: world.url, token: await world.token(["booking.write"]) };
});

describe("The shop", () => {
  it("books, and is told when the host cancels", async () => {
    const booking_id = await book(api, "evt-evening", anna);
    await world.act("cancelBooking", { booking_id });
    const message = await world.webhooks.waitFor("v1.booking.cancelled");
    assert.equal(message.body.payload.booking_id, booking_id);
  });

  it("can't book what is over", async () => {
    const { receipt } = await world.clock.advance("PT12H");
    assert.ok(receipt.some(({ what, id }) => what === "eventCompleted" && id === "evt-evening"));
    await assert.rejects(book({ ...api, token: await world.token() }, "evt-evening", anna), /EVENT_NOT_ACTIVE/);
  });

  it("tries again when the service is busy", async () => {
    await world.faults.arm({ operation: "createBooking", status: 503, times: 1 });
    await book(api, "evt-last-seat", anna);
    const requests = await world.requests({ operation: "createBooking" });
    assert.deepEqual(
      requests.map(({ status }) => status),
      [503, 201],
    );
  });

  it("sells the last seat once", async () => {
    await book(api, "evt-last-seat", anna);
    await assert.rejects(book(api, "evt-last-seat", anna), /NOT_ENOUGH_RESOURCES/);
  });
});

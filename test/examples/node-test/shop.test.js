// A CommonJS suite under node:test: each test has a world of its own.
const assert = require("node:assert/strict");
const { describe, mock } = require("node:test");
const { sandboxTest } = require("experience-sandbox/node-test");
const { book } = require("./shop.cjs");

const it = sandboxTest();
const address = { address_lines: ["Nyhavn 12"], city: "København K", zip_code: "1051", country: "DK" };
const anna = { name: "Anna Holm", email: "anna@example.com", address };
const apiOf = async (world) => ({ url: world.url, token: await world.token(["booking.write"]) });

describe("The shop", () => {
  it("books, and is told when the host cancels", async ({ world }) => {
    const booking_id = await book(await apiOf(world), "evt-evening", anna);
    await world.act("cancelBooking", { booking_id });
    const message = await world.webhooks.waitFor("v1.booking.cancelled");
    assert.equal(message.body.payload.booking_id, booking_id);
  });

  it("can't book what is over", async ({ world }) => {
    const { receipt } = await world.clock.advance("PT12H");
    assert.ok(receipt.some(({ what, id }) => what === "eventCompleted" && id === "evt-evening"));
    await assert.rejects(book(await apiOf(world), "evt-evening", anna), /EVENT_NOT_ACTIVE/);
  });

  it("fakes its own timers, and not those of the sandbox", async ({ world }) => {
    mock.timers.enable({ apis: ["setTimeout", "setInterval", "setImmediate"] });
    try {
      await world.act("cancelBooking", { booking_id: "bkg-evening" });
      await world.webhooks.waitFor("v1.booking.cancelled");
    } finally {
      mock.timers.reset();
    }
  });

  it("tries again when the service is busy", async ({ world }) => {
    await world.faults.arm({ operation: "createBooking", status: 503, times: 1 });
    await book(await apiOf(world), "evt-last-seat", anna);
    const requests = await world.requests({ operation: "createBooking" });
    assert.deepEqual(
      requests.map(({ status }) => status),
      [503, 201],
    );
  });

  it("sells the last seat once", async ({ world }) => {
    await book(await apiOf(world), "evt-last-seat", anna);
    await assert.rejects(book(await apiOf(world), "evt-last-seat", anna), /NOT_ENOUGH_RESOURCES/);
  });
});

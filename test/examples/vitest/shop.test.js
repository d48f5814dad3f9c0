// An ES module suite under vitest: one sandbox a file, one world a test.
import { startSandbox } from "experience-sandbox";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { book } from "./shop.js";

const address = { address_lines: ["Nyhavn 12"], city: "København K", zip_code: "1051", country: "DK" };
const anna = { name: "Anna Holm", email: "anna@example.com", address };
let sandbox;
let world;
let api;

beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());
beforeEach(async () => {
  world = await sandbox.world();
  api = { url: world.url, token: await world.token(["booking.write"]) };
});

describe("The shop", () => {
  it("books, and is told when the host cancels", async () => {
    const booking_id = await book(api, "evt-evening", anna);
    await world.act("cancelBooking", { booking_id });
    const message = await world.webhooks.waitFor("v1.booking.cancelled");
    expect(message.body.payload.booking_id).toBe(booking_id);
  });

  it("can't book what is over", async () => {
    const { receipt } = await world.clock.advance("PT12H");
    expect(receipt.some(({ what, id }) => what === "eventCompleted" && id === "evt-evening")).toBe(true);
    await expect(book({ ...api, token: await world.token() }, "evt-evening", anna)).rejects.toThrow("EVENT_NOT_ACTIVE");
  });

  it("tries again when the service is busy", async () => {
    await world.faults.arm({ operation: "createBooking", status: 503, times: 1 });
    await book(api, "evt-last-seat", anna);
    const requests = await world.requests({ operation: "createBooking" });
    expect(requests.map(({ status }) => status)).toEqual([503, 201]);
  });

  it("sells the last seat once", async () => {
    await book(api, "evt-last-seat", anna);
    await expect(book(api, "evt-last-seat", anna)).rejects.toThrow("NOT_ENOUGH_RESOURCES");
  });
});

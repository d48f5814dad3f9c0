// An ES module suite under vitest: each test has a world of its own.
import { sandboxTest } from "experience-sandbox/vitest";
import { describe, expect, vi } from "vitest";
import { book } from "./shop.cjs";

const it = sandboxTest();
const address = { address_lines: ["Nyhavn 12"], city: "København K", zip_code: "1051", country: "DK" };
const anna = { name: "Anna Holm", email: "anna@example.com", address };
const apiOf = async (world) => ({ url: world.url, token: await world.token(["booking.write"]) });

describe("The shop", () => {
  it("books, and is told when the host cancels", async ({ world }) => {
    const booking_id = await book(await apiOf(world), "evt-evening", anna);
    await world.act("cancelBooking", { booking_id });
    const message = await world.webhooks.waitFor("v1.booking.cancelled");
    expect(message.body.payload.booking_id).toBe(booking_id);
  });

  it("can't book what is over", async ({ world }) => {
    const { receipt } = await world.clock.advance("PT12H");
    expect(receipt.some(({ what, id }) => what === "eventCompleted" && id === "evt-evening")).toBe(true);
    await expect(book(await apiOf(world), "evt-evening", anna)).rejects.toThrow("EVENT_NOT_ACTIVE");
  });

  it("fakes its own timers, and not those of the sandbox", async ({ world }) => {
    vi.useFakeTimers();
    try {
      await world.act("cancelBooking", { booking_id: "bkg-evening" });
      await world.webhooks.waitFor("v1.booking.cancelled");
    } finally {
      vi.useRealTimers();
    }
  });

  it("tries again when the service is busy", async ({ world }) => {
    await world.faults.arm({ operation: "createBooking", status: 503, times: 1 });
    await book(await apiOf(world), "evt-last-seat", anna);
    const requests = await world.requests({ operation: "createBooking" });
    expect(requests.map(({ status }) => status)).toEqual([503, 201]);
  });

  it("sells the last seat once", async ({ world }) => {
    await book(await apiOf(world), "evt-last-seat", anna);
    await expect(book(await apiOf(world), "evt-last-seat", anna)).rejects.toThrow("NOT_ENOUGH_RESOURCES");
  });
});

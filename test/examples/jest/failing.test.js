// A test that fails on purpose: beside the failure stands what happened in its world.
const { sandboxTest } = require("experience-sandbox/jest");
const { book } = require("./shop.cjs");

const test = sandboxTest({ clock: "2030-06-01T09:00:00Z", webhookUrl: "http://127.0.0.1:9/hook" });

test("does not know why it fails", async ({ world }) => {
  await world.act("cancelBooking", { booking_id: "bkg-evening" });
  const address = { address_lines: ["Nyhavn 12"], city: "København K", zip_code: "1051", country: "DK" };
  const api = { url: world.url, token: await world.token(["booking.write"]) };
  await book(api, "evt-nowhere", { name: "Anna Holm", email: "anna@example.com", address });
});

test("is told nothing of another world", async ({ world }) => {
  await world.act("cancelBooking", { booking_id: "bkg-evening" });
});

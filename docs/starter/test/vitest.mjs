// Each test gets a world of its own, a copy of the fixture my-company.
import { fileURLToPath } from "node:url";
import { startSandbox } from "experience-sandbox";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

const fixture = fileURLToPath(new URL("../my-company", import.meta.url));
let sandbox;
let world;
beforeAll(async () => {
  sandbox = await startSandbox({ fixture, clock: "2030-06-01T09:00:00Z" });
});
afterAll(() => sandbox.close());
beforeEach(async () => {
  world = await sandbox.world();
});

test("the booking for tonight is there", async () => {
  // Your own code runs here, with world.url and world.credentials.
  const token = await world.token(["booking.read"]);
  const answer = await fetch(`${world.url}/v1/bookings/bkg-tonight`, { headers: { authorization: `Bearer ${token}` } });
  expect((await answer.json()).status).toBe("ACTIVE");
});

test("a webhook says that the host cancelled", async () => {
  await world.act("cancelBooking", { booking_id: "bkg-tonight" });
  const message = await world.webhooks.waitFor("v1.booking.cancelled");
  expect(message.body.payload.booking_id).toBe("bkg-tonight");
});

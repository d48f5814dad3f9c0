// Each test has its own world, a copy of the fixture my-company.
import { sandboxTest } from "experience-sandbox/jest";

const test = sandboxTest({ fixture: "./my-company" });

test("the booking for tonight is there", async ({ world }) => {
  // Your own code runs here, with world.url and world.credentials.
  const token = await world.token(["booking.read"]);
  const response = await fetch(`${world.url}/v1/bookings/bkg-tonight`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(await response.json()).toMatchObject({ status: "ACTIVE" });
});

test("a cancelled booking sends a webhook", async ({ world }) => {
  await world.act("cancelBooking", { booking_id: "bkg-tonight" });
  const message = await world.webhooks.waitFor("v1.booking.cancelled");
  expect(message.body).toMatchObject({ payload: { booking_id: "bkg-tonight" } });
});

// Bulk bookings chose an experience from a list with one item for each of its seats. A world that had been populated a few times had more
// seats than a call can have arguments, and answered 500.
import { afterAll, beforeAll, expect, it } from "vitest";
import { openSandbox, type TestSandbox } from "../sandbox.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

it("A world with hundreds of thousands of seats is populated", async () => {
  const world = await sandbox.world();
  const experience_id = (await world.call("listExperiences")).body.items[0].id;
  const sessions = [{ start_time: "2030-07-01T10:00:00", end_time: "2030-07-01T12:00:00", location_id: "loc-nyhavn" }];
  for (let nth = 0; nth < 5; nth++)
    expect((await world.act("createEvent", { experience_id, sessions, capacity: 100_000 })).status).toBe(200);
  const { status, body } = await world.control("post", "state/populate", { bookings: 2 });
  expect([status, body.added?.bookings]).toEqual([200, 2]);
});

// A world that runs with real time for weeks has no event left that a client can book, and says so where a person looks.
import { expect, it } from "vitest";
import { shareSandbox } from "../../sandbox.ts";
import { advance, book, done } from "../operations/kit.ts";
import { send } from "./http-kit.ts";

const NO_EVENT =
  "No event of this world can be booked any more: reset it with `sandbox world reset`, or create an event.";

const sandbox = shareSandbox();

it("is reported in rejections, in the log and on the home page, until there is an event", async () => {
  const world = await sandbox.world();
  const headers = { accept: "text/html", "sandbox-world": world.id };
  const readHome = async () => (await send(sandbox, "/", { headers })).text;
  expect((await book(world, "evt-on-the-water")).body.message).toMatch(/Choose a later one\.$/);
  expect(await readHome()).not.toContain("No event of this world");

  await advance(world, "P400D");
  const rejected = await book(world, "evt-evening");
  expect(rejected.body).toMatchObject({ code: "EVENT_NOT_ACTIVE", message: expect.stringContaining(NO_EVENT) });
  const { body: log } = await world.control("get", "requests?operation=createBooking&limit=1");
  expect(log.items[0].message).toBe(rejected.body.message);
  expect(await readHome()).toContain("No event of this world can be booked any more");

  const sessions = [{ start_time: "2032-01-01T12:00:00", end_time: "2032-01-01T14:00:00" }];
  await done(world, "createEvent", { experience_id: "exp-canal", sessions, capacity: 10 });
  expect((await book(world, "evt-evening")).body.message).toMatch(/Choose an ACTIVE event of an ACTIVE experience\.$/);
  expect(await readHome()).not.toContain("No event of this world");
});

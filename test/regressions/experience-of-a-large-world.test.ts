// The record of an experience in a world with more than a thousand bookings was never answered, and kept a processor busy for ever: which
// acts it allows was tried in a copy, which asked for an index that it lacked; that was built in the copy, which was thrown away, and so on.
// And an event was answered only when all its bookings had been read.
import { expect, it } from "vitest";
import { done } from "../engine/operations/kit.ts";
import { ANCHOR, shareSandbox, shareWorld } from "../sandbox.ts";

const sandbox = shareSandbox({ fixture: "harbour-tours" });
const world = shareWorld(sandbox, { fixture: "harbour-tours" });

const BOOKINGS = 1_100;
const get = async (path: string) => (await world.control("get", path)).body;
const idAt = (at: number) => `bkg-${String(at).padStart(4, "0")}`;

it("The records of a world with a thousand bookings at one event are listed with the newest ten and the allowed acts", async () => {
  const { checksum: _, ...state } = await get("state");
  const { bookings } = state.collections;
  const before = bookings.filter((each: { event_id: string }) => each.event_id === "evt-evening");
  const booking = before.find(({ status }: { status: string }) => status === "ACTIVE");
  const many = Array.from({ length: BOOKINGS }, (_, at) => {
    const id = idAt(at);
    return {
      ...booking,
      id,
      created_at: new Date(Date.parse(ANCHOR) - 500 + (at % 500)).toISOString(),
    };
  });
  const put = await world.control("put", "state", {
    ...state,
    collections: { ...state.collections, bookings: [...bookings, ...many] },
  });
  expect(put.status, put.text).toBe(200);
  const experience = await get(`records/experiences/${booking.experience_id}`);
  const namesOf = (view: { acts: { act: string }[] }) => view.acts.map(({ act }) => act);
  expect(namesOf(experience)).toEqual(["updateExperience", "archiveExperience", "createEvent", "bookTimeslot"]);
  const event = await get("records/events/evt-evening");
  const [{ collection, count, items }] = event.related;
  expect([collection, count, items.map(({ id }: { id: string }) => id)]).toEqual([
    ...["bookings", BOOKINGS + before.length],
    [999, 499, 998, 498, 997, 497, 996, 496, 995, 495].map(idAt),
  ]);
  expect(namesOf(event)).not.toContain("deleteEvent");
  await done(world, "createEvent", {
    id: "evt-free",
    experience_id: booking.experience_id,
    capacity: 4,
    sessions: [{ start_time: "2030-06-06T10:00:00", end_time: "2030-06-06T11:00:00" }],
  });
  expect(namesOf(await get("records/events/evt-free"))).toContain("deleteEvent");
});

it("An act that needs an index of that world waits for it, and runs once", async () => {
  const before = await get("log?kinds=act&limit=1");
  const { bookings } = (await get("state")).collections;
  const underWay = bookings.filter(
    ({ event_id, status }: Record<string, string>) =>
      event_id === "evt-evening" && ["ACTIVE", "CHECKED_IN", "PROCESSING"].includes(status ?? ""),
  );
  expect(underWay.length).toBeGreaterThan(BOOKINGS);
  const refused = await world.act("deleteEvent", { event_id: "evt-evening" });
  expect([refused.status, refused.body.code]).toEqual([409, "HAS_ACTIVE_BOOKINGS"]);
  expect(refused.body.message).toContain(`still has active bookings (${underWay.length})`);
  const { facts } = (await world.act("deleteEvent", { event_id: "evt-free" })).body;
  expect(facts).toEqual([{ fact: "event.deleted", id: "evt-free" }]);
  const { items } = await get("log?kinds=act&limit=10");
  const since = items.filter(({ seq }: { seq: number }) => seq > before.items[0].seq);
  expect(since.map(({ act, status }: { act: string; status: string }) => [act, status])).toEqual([
    ["deleteEvent", "refused"],
    ["deleteEvent", "done"],
  ]);
});

// Anything by its id, or by a text.
import { expect, it } from "vitest";
import { shareSandbox, shareWorld } from "../../../sandbox.ts";

const sandbox = shareSandbox({ fixture: "harbour-tours" });
const world = shareWorld(sandbox, { fixture: "harbour-tours" });

const found = async (q: string) => (await world.control("get", `find?q=${encodeURIComponent(q)}`)).body.items;

it("A complete id finds its record or its log entry", async () => {
  expect(await found(" bkg-evening ")).toEqual([
    {
      id: "bkg-evening",
      collection: "bookings",
      title: "Magnus Dahl · 2030-06-01 19:00 · Canal tour",
      state: "ACTIVE",
      timezone: "Europe/Copenhagen",
    },
  ]);
  const { headers } = await world.act("cancelBooking", { booking_id: "bkg-026" });
  const id = headers["sandbox-request-id"] as string;
  expect(await found(id)).toEqual([{ id, title: "cancelBooking" }]);
});

it("A text finds the records that contain it, at most five of each kind", async () => {
  const items = await found("magnus dahl");
  expect(items.map(({ collection }: { collection: string }) => collection)).toContain("bookings");
  expect(new Set(items.map(({ title }: { title: string }) => title)).size).toBeGreaterThan(0);
  const many = await found("a");
  for (const name of ["bookings", "orders"])
    expect(many.filter(({ collection }: { collection: string }) => collection === name)).toHaveLength(5);
});

it("An empty text finds nothing, and a token is not found by its text", async () => {
  expect(await found("no-such-thing-anywhere")).toEqual([]);
  expect(await found(await world.token())).toEqual([]);
  expect((await world.control("get", "find")).status).toBe(400);
});

// What the tests of the public API share: shorthand for items and bookings, every page of a list, and a small world of its own.
import type { Answered, Input, TestSandbox, TestWorld } from "../../sandbox.ts";
import { anna } from "../../sandbox.ts";

export interface Item {
  type_id: string;
  item_type: string;
  quantity: number;
}

export const ticket = (type_id: string, quantity = 1): Item => ({ type_id, item_type: "VARIANT", quantity });
export const addOn = (type_id: string, quantity = 1): Item => ({ type_id, item_type: "ADDON", quantity });
export const guest = { name: "Bo Lund", email: "bo@example.com" };

/** The first variant of each experience of harbour-tours. */
export const ADULT = ticket("var-adult");

export const inputFor = (event_id: string, items: Item[] = [ADULT], more: object = {}) => ({
  event_id,
  customer: anna,
  locale: "da",
  items,
  ...more,
});

/** A booking through the public API. */
export const book = (world: TestWorld, event: string, items?: Item[], more?: object): Promise<Answered> =>
  world.call("createBooking", { body: inputFor(event, items, more) });

/** An act that must succeed; answers its result. */
export async function done(world: TestWorld, act: string, input: object): Promise<Answered["body"]> {
  const { status, body, text } = await world.act(act, input);
  if (status !== 200) throw new Error(`${act} answered ${status}: ${text}`);
  return body.result;
}

/** The items of every page, and how many pages there were. */
export async function allPages(world: TestWorld, operation: string, input: Input = {}) {
  const items: Answered["body"][] = [];
  let [cursor, pages] = ["", 0];
  const path = operation === "listAvailabilities" ? "body" : "query";
  do {
    const requested = { ...(input[path] as object), ...(cursor === "" ? {} : { cursor }) };
    const { status, body, text } = await world.call(operation, { ...input, [path]: requested });
    if (status !== 200) throw new Error(`${operation} answered ${status}: ${text}`);
    items.push(...body.items);
    cursor = body.next ?? "";
    pages++;
  } while (cursor !== "" && pages < 1000);
  return { items, pages };
}

export const idsOf = (items: readonly { id: string }[]): string[] => items.map(({ id }) => id);

export const advance = async (world: TestWorld, by: string): Promise<Answered["body"]> => {
  const { status, body, text } = await world.control("post", "clock/advance", { by });
  if (status !== 200) throw new Error(`the clock answered ${status}: ${text}`);
  return body;
};

export const kroner = (value: number) => ({ currency: "DKK", value, exponent: 2 });

/** One pier, one tour, one event tomorrow at noon (UTC+2), and nothing else. */
export async function smallWorld(sandbox: TestSandbox, capacity = 100, seed = 7): Promise<TestWorld> {
  const world = await sandbox.world({ fixture: "empty", seed });
  await done(world, "addLocation", { id: "loc-pier", timezone: "Europe/Copenhagen" });
  await done(world, "createExperience", {
    id: "exp-tour",
    name: "Tour",
    location_ids: ["loc-pier"],
    ticket_variants: [{ id: "var-adult", name: "Adult", price: kroner(25000), vat_rate: "0.25" }],
  });
  await tour(world, "evt-noon", "2030-06-02T12:00:00", "2030-06-02T14:00:00", capacity);
  return world;
}

export const tour = (world: TestWorld, id: string, start_time: string, end_time: string, capacity = 100) =>
  done(world, "createEvent", { id, experience_id: "exp-tour", sessions: [{ start_time, end_time }], capacity });

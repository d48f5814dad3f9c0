// Under every other answer of the register, a world in which everything happened goes out and comes in again as it was: under
// each of them when there is time, otherwise under some.
import { expect, it } from "vitest";
import register from "../../../src/contract/generated/assumptions.json" with { type: "json" };
import type { World } from "../../../src/engine/world/state/world.ts";
import { extent } from "../../extent.ts";
import { type Answered, shareSandbox, type TestWorld } from "../../sandbox.ts";
import { advance, guest, inputFor, smallWorld, ticket } from "../operations/kit.ts";

const sandbox = shareSandbox();

const FLIPS = (register as readonly { id: string; alternatives: readonly { value: string }[] }[]).flatMap(
  ({ id, alternatives }) => alternatives.map(({ value }) => [id, value] as const),
);
const EACH = extent(12, 4, 1);
const TRIED = FLIPS.filter((_, index) => index % EACH === 0);

/** What can leave a mark on a record; a step that an answer forbids is left out. */
async function live(world: TestWorld): Promise<void> {
  const act = async (name: string, input: object): Promise<Answered["body"]> =>
    (await world.act(name, input)).body.result;
  const url = "http://127.0.0.1:9/hook";
  const subscribed = await world.call("createWebhookSubscription", {
    body: { url, event_types: ["v1.booking.created"], state: "ENABLED", description: "…" },
    undocumented: true,
  });
  const host = (more: object) =>
    act("bookAsHost", { event_id: "evt-noon", customer: guest, items: [ticket("var-adult", 2)], ...more });
  for (const refund of ["full", "none", "gift_card"]) {
    const { id } = await host({ payments: [{ provider: "INTEGRATION" }] });
    await act("cancelBooking", { booking_id: id, refund });
  }
  const { order_id } = await host({ payments: [{}], metadata: { a: "b" } });
  await act("refundOrder", { order_id, amount: 500, status: "INITIATED" });
  await world.call("createBooking", {
    body: inputFor("evt-noon", undefined, { metadata: { a: "b" } }),
    undocumented: true,
  });
  await act("startCheckout", { event_id: "evt-noon", customer: guest, items: [ticket("var-adult")] });
  for (const id of ["gc-void", "gc-off", "gc-old"])
    await act("buyGiftCard", { id, initial_value: 500, expires_at: "2030-06-01T12:00:00Z" });
  await act("voidGiftCard", { gift_card_id: "gc-void", refund: true });
  await act("voidGiftCard", { gift_card_id: "gc-off" });
  await act("submitConsent", { email: "a@example.com", full_name: "A" });
  const { id: guestId } = await host({ payments: [{}] });
  await act("lockEvent", { event_id: "evt-noon", booking_id: guestId });
  await world.control("post", `webhook-subscriptions/${subscribed.body?.id}/rotate-secret`, { overlap: "P1D" });
  await advance(world, "PT4H");
}

it.each(TRIED)("%s=%s", async (id, value) => {
  const world = await smallWorld(sandbox);
  expect((await world.control("put", "assumptions", { [id]: value })).status).toBe(200);
  await live(world);
  const { states, worlds } = sandbox.running.application;
  const now = () => worlds.get(world.id) as World;
  const before = [...states.export(now())].join("");
  expect(await states.import(now(), JSON.parse(before))).toMatchObject({ warnings: [] });
  expect([...states.export(now())].join("")).toBe(before);
  states.remove(now());
});

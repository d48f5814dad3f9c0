// How long a gift card is good for where nobody says: three years from its day. Heading "Gift card status".
import { expect, it } from "vitest";
import { worldForTests } from "../../world-for-tests.ts";

it.each(["issueGiftCard", "buyGiftCard"] as const)("A card of %s is good for three years", (act) => {
  const world = worldForTests();
  const made = world.act(act, { id: "gc-new", initial_value: 50_000, customer: { name: "Bo" } });
  expect(made.expires_at ?? world.card("gc-new").expires_at).toBe("2033-06-01T09:00:00.000Z");
});

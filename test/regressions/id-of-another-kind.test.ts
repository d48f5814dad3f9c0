// After a rewind an id is drawn again, for another kind of record: its history and its why tell of the record that has it now.
import { expect, it } from "vitest";
import { done } from "../engine/operations/kit.ts";
import { shareSandbox } from "../sandbox.ts";

const sandbox = shareSandbox({ fixture: "harbour-tours" });

it("History and why of a consent's id that a gift card has since a rewind show the gift card", async () => {
  const world = await sandbox.world();
  const got = async (path: string) => (await world.control("get", path)).body;
  const { seq } = (await got("history")).kept.from;
  const consent = await done(world, "submitConsent", { email: "a@example.com", full_name: "A", source: "CHECKOUT" });
  const { undo } = (await world.control("post", "rewind", { to: String(seq) })).body;
  expect(await got(`history/${consent.id}`)).toMatchObject({
    collection: "consents",
    items: [{ change: "created" }, { change: "removed" }],
  });
  const card = await done(world, "issueGiftCard", { initial_value: 500 });
  expect(card.id).toBe(consent.id);
  const history = await got(`history/${card.id}`);
  expect([history.collection, history.items.length, history.items[0].change]).toEqual(["giftCards", 1, "created"]);
  const why = await got(`why/${card.id}`);
  expect([why.title, why.history.length]).toEqual([`${card.id} in giftCards`, 1]);
  expect(why.facts.map(({ fact }: { fact: string }) => fact)).not.toContain("consent.created");
  // And of the consent again, once that is back in the card's stead.
  await world.control("post", "rewind", { to: String(undo.to) });
  const back = await got(`history/${card.id}`);
  expect(back.collection).toBe("consents");
  expect(back.items.map(({ change }: { change: string }) => change)).toEqual(["created", "removed", "created"]);
});

// Worlds of one company send webhooks to the same receivers, so no two of them give one id to different messages, as long as nobody asks for
// the same seed. What their fixture has keeps its ids.
import { describe, expect, it } from "vitest";
import { postgresBin } from "./postgres-kit.ts";
import { OPERATOR, openShared, sharedOfTests } from "./teams-kit.ts";

describe.skipIf(!postgresBin)("Worlds of one fixture on a database", () => {
  const shared = sharedOfTests({ clock: undefined });

  const control = async (method: string, path: string, body?: unknown) => {
    const answer = await shared.ask(OPERATOR, method, path, body);
    expect([path, answer.status < 300]).toEqual([path, true]);
    return answer.body;
  };
  const made = (id: string, more: object = {}) =>
    control("POST", "worlds", { id, fixture: "harbour-tours", clock: "anchor", ...more });
  const seedOf = async (world: string) => (await control("GET", `worlds/${world}`)).seed;
  const idsOf = async (world: string, collection: string): Promise<string[]> =>
    ((await control("GET", `state?world=${world}`)).collections[collection] ?? []).map(({ id }: { id: string }) => id);
  const recordsOf = async (world: string) =>
    (await Promise.all(["events", "bookings", "orders"].map((each) => idsOf(world, each)))).flat();
  const changed = async (world: string) => {
    for (let times = 0; times < 3; times++)
      await control("POST", `trigger?world=${world}`, { kind: "v1.booking.created" });
    return idsOf(world, "messages");
  };

  it("have the records of the fixture under the same ids, and messages under ids of their own", async () => {
    await Promise.all(["one", "two"].map((id) => made(id)));
    expect([await seedOf("one"), await seedOf("two")]).toEqual(["7/one", "7/two"]);
    const begun = await recordsOf("one");
    expect(await recordsOf("two")).toEqual(begun);
    const [one, two] = [await changed("one"), await changed("two")];
    expect([one.length, new Set([...one, ...two]).size]).toEqual([3, 6]);
    const lived = await recordsOf("one");
    expect(lived.length).toBeGreaterThan(begun.length);
    // Begun anew, it lives through the same, and gives no message the id of another.
    await control("POST", "state/reset?world=one");
    expect([await seedOf("one"), await recordsOf("one")]).toEqual(["7/one", begun]);
    expect(new Set([...one, ...(await changed("one"))]).size).toBe(6);
    expect(await recordsOf("one")).toEqual(lived);
  });

  it("have ids of their own in a fork, and after its reset, and report that when they are closed too", async () => {
    const { items } = await control("POST", "worlds/one/fork");
    const [{ id }] = items;
    expect(await seedOf(id)).toBe(`7/${id}`);
    const before = await idsOf("one", "messages");
    const [parent, fork] = [await changed("one"), await changed(id)];
    expect(fork.filter((each) => parent.includes(each))).toEqual(before);
    for (const world of [id, "one"]) await control("POST", `state/reset?world=${world}`);
    expect([await seedOf(id), await recordsOf(id)]).toEqual([`7/${id}`, await recordsOf("one")]);
    const { directory } = shared.sandbox.running.application;
    expect((await directory?.list(undefined))?.find((each) => each.id === id)?.recipe?.seed).toBe(`7/${id}`);
  });

  it("report from which world they were copied, open or closed, reset or not, on every node", async () => {
    await made("parent");
    const { items } = await control("POST", "worlds/parent/fork");
    const [{ id }] = items;
    const beside = await openShared(shared.database, { clock: undefined });
    const parents = async () =>
      Promise.all(
        [shared, beside].map(async ({ ask }) => {
          const { body } = await ask(OPERATOR, "GET", "worlds");
          const found = body.items.filter((world: { id: string }) => world.id === id || world.id === "parent");
          return found.map(({ id, forked_from }: { id: string; forked_from?: string }) => [id, forked_from]).sort();
        }),
      );
    const both = Array(2).fill(
      [
        ["parent", undefined],
        [id, "parent"],
      ].sort(),
    );
    expect(await parents()).toEqual(both);
    await control("GET", `worlds/${id}`);
    expect(await parents()).toEqual(both);
    await control("POST", `state/reset?world=${id}`);
    expect(await parents()).toEqual(both);
    await beside.sandbox.close();
  });
});

// What many clients book through any of three nodes: the last seats are sold once, and what one node has acknowledged every other one shows.
import { describe, expect, it } from "vitest";
import { extent } from "../extent.ts";
import { bookingsOf, furnished } from "./clients.ts";
import { type Answer, ask, clusterOfTests } from "./cluster.ts";
import { postgresBin } from "./postgres-kit.ts";

const ROUNDS = extent(2, 2, 6);
const READS = extent(600, 300, 2000);
const [SEATS, REQUESTS, CLIENTS] = [60, 160, 40];

describe.skipIf(!postgresBin)("Three nodes on one database", () => {
  const here = clusterOfTests();

  it(`sell the last ${SEATS} seats once`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const world = await furnished(here.cluster.any().url, SEATS);
      let left = REQUESTS;
      const answers: Answer[] = [];
      const client = async () => {
        while (left-- > 0) answers.push(await world.book(here.cluster.any().url));
      };
      await Promise.all(Array.from({ length: CLIENTS }, client));
      const others = answers.filter(({ status }) => status !== 201);
      expect(answers.length - others.length).toBe(SEATS);
      expect([...new Set(others.map(({ status, body }) => `${status} ${body?.code}`))]).toEqual([
        "409 NOT_ENOUGH_RESOURCES",
      ]);
      const ids = answers.filter(({ status }) => status === 201).map(({ body }) => body.id as string);
      expect(new Set(ids).size).toBe(SEATS);
      const retained = (await bookingsOf(world, here.cluster.any().url)).map(({ id }) => id);
      expect(retained.sort()).toEqual(ids.sort());
    }
  });

  it(`show through another node what was acknowledged, ${READS} times`, async () => {
    const worlds = await Promise.all([0, 1, 2, 3].map(() => furnished(here.cluster.any().url, READS)));
    let [left, stale] = [READS, 0];
    const wrong: unknown[] = [];
    const client = async (_: unknown, index: number) => {
      const world = worlds[index % worlds.length] as (typeof worlds)[number];
      for (let turn = index; left-- > 0; turn++) {
        const [one, other] = [here.cluster.nodes[turn % 3], here.cluster.nodes[(turn + 1 + (turn % 2)) % 3]];
        const made = await world.book(one?.url ?? "");
        if (made.status !== 201) wrong.push(made);
        const { status } = await world.get(other?.url ?? "", `/v1/bookings/${made.body.id}`);
        if (status !== 200) stale++;
      }
    };
    await Promise.all(Array.from({ length: 8 }, client));
    expect(wrong).toEqual([]);
    expect(stale).toBe(0);
  });

  it("serve a world made through one node, with its token, through each, and refuse what is unknown as one process does", async () => {
    const world = await furnished(here.cluster.nodes[0]?.url ?? "", 5);
    for (const { url } of here.cluster.nodes) {
      expect((await world.get(url, "/v1/me")).status).toBe(200);
      expect((await world.control(url, "GET", "state")).body.collections.events).toHaveLength(1);
      expect((await ask(url, "/v1/me", { token: "no-such-world.token" })).status).toBe(401);
      expect((await ask(url, "/_sandbox/state", { world: "no-such-world" })).status).toBe(404);
      const again = await ask(url, "/_sandbox/worlds", { body: { id: world.id, fixture: "empty" } });
      expect(again.status).toBe(409);
    }
  });
});

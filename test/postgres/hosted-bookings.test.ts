// What many clients book through any of three nodes: the last seats are sold once.
import { describe, expect, it } from "vitest";
import { extent } from "../extent.ts";
import { bookingsOf, furnished } from "./clients.ts";
import { type Answer, clusterOfTests } from "./cluster.ts";
import { postgresBin } from "./postgres-kit.ts";

const ROUNDS = extent(2, 2, 6);
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
});

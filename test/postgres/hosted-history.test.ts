// Bookings of several worlds through any node, while nodes are killed, and stopped for a while: every world answers as if it were one
// process that does one thing after another.
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { extent } from "../extent.ts";
import { clusterOfTests } from "./cluster.ts";
import { histories, judged } from "./hosted-history.ts";
import { postgresBin } from "./postgres-kit.ts";

const SECONDS = extent(14, 14, 30);
const WORLDS = extent(3, 3, 5);

describe.skipIf(!postgresBin)("Histories of worlds on three nodes", () => {
  const here = clusterOfTests();

  it("are linearizable while nodes are paused and killed", async () => {
    const until = performance.now() + SECONDS * 1000;
    let troubled = true;
    const counts = { known: 0 };
    // A busy machine may need longer for as many answers.
    const going = () => troubled || counts.known < SECONDS * 8;
    const recorded = Array.from({ length: WORLDS }, (_, index) =>
      histories(here.cluster, going, `history-${index}`, counts),
    );
    for (let round = 0; performance.now() < until - 3000; round++) {
      await pause(1000);
      const node = here.cluster.any();
      if (round % 3 === 2) {
        await node.kill();
        await pause(500);
        await node.restart();
        continue;
      }
      node.pause();
      // Shorter and longer than a heartbeat is valid.
      await pause(round % 3 === 0 ? 8500 + 3500 * Math.random() : 1000 + 2000 * Math.random());
      node.resume();
    }
    troubled = false;
    const all = (await Promise.all(recorded)).flat();
    expect(all.flatMap(judged)).toEqual([]);
    console.log(`${counts.known} answers of ${all.length} worlds`);
  });
});

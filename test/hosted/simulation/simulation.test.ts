// What a node has to do does not grow with the number of nodes and worlds. In full, with a million worlds on a thousand nodes:
// SANDBOX_SIMULATION=full npx vitest run --config test/vitest.config.ts test/hosted/simulation
import { expect, it } from "vitest";
import { extent } from "../../extent.ts";
import { type Cost, type Size, simulate } from "./simulate.ts";

const WORLDS_OF_A_NODE = 1000;
const isFull = process.env.SANDBOX_SIMULATION === "full";
const isLong = Boolean(process.env.SANDBOX_LONG);
const NODES = isFull ? [10, 100, 1000] : extent([4, 16], [10, 80], [10, 40, 160]);

it("The cost of a node stays flat", async () => {
  const runs: { size: Size; costs: Record<string, Cost> }[] = [];
  for (const nodes of NODES) {
    const size = { nodes, worlds: nodes * WORLDS_OF_A_NODE };
    runs.push({ size, costs: await simulate(size) });
  }
  if (isFull || isLong)
    console.table(
      runs.flatMap(({ size, costs }) =>
        Object.entries(costs).map(([phase, cost]) => ({ ...size, phase, ...rounded(cost) })),
      ),
    );
  const [first, ...others] = runs;
  for (const phase of ["steady", "killed", "upgraded"])
    for (const { size, costs } of others) {
      const [small, large] = [first?.costs[phase] as Cost, costs[phase] as Cost];
      expect([phase, size, large.statements < small.statements * 1.25]).toEqual([phase, size, true]);
      expect([phase, size, large.opened < small.opened * 1.25]).toEqual([phase, size, true]);
      expect([phase, size, large.forwarded < small.forwarded + 0.05]).toEqual([phase, size, true]);
      expect([phase, size, large.lateSeconds < 15]).toEqual([phase, size, true]);
    }
});

const rounded = (cost: Cost) =>
  Object.fromEntries(Object.entries(cost).map(([name, value]) => [name, Number(value.toFixed(3))]));

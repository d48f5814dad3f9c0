// Many requests at once: a turn of the event loop begins as many as fit its slice, in order, and lets others in before the rest.
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { makeFairScheduler } from "../../../src/engine/http/fair-scheduling.ts";

/** Requests that take so long each, all read within one turn. */
function ask(costs: readonly number[]): { done: number[] } {
  let time = 0;
  const done: number[] = [];
  const take = makeFairScheduler(() => time);
  for (const [place, cost] of costs.entries())
    take(() => {
      time += cost;
      done.push(place);
    });
  return { done };
}

test("requests that cost little are begun at once", () => {
  expect(ask([0.5, 0.5, 0.5]).done).toEqual([0, 1, 2]);
});

test("those that come when a slice is spent wait for the next turns, a slice in each", async () => {
  const { done } = ask([1.2, 1.2, 1.2, 1.2, 1.2, 1.2]);
  const turns = [done.length];
  while (done.length < 6) {
    await nextTurn();
    turns.push(done.length);
  }
  expect(done).toEqual([0, 1, 2, 3, 4, 5]);
  expect(turns[0]).toBe(2);
  expect(turns.length).toBeGreaterThanOrEqual(3);
});

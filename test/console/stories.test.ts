// How the console joins the entries of a log to stories.
import { describe, expect, it } from "vitest";
import { isFailed, makeStories } from "../../src/console/story/stories.ts";
import { act, attempt, request } from "./entries.ts";

describe("Stories", () => {
  it("have the latest attempt of each delivery, in whichever order they are told", () => {
    const stories = makeStories();
    for (const entry of [attempt(3, "req-1", null), request(1), attempt(9, "req-1", 200), attempt(4, "req-1", 500)])
      stories.add(entry);
    expect(stories.all).toHaveLength(1);
    expect([...(stories.all[0]?.deliveries.values() ?? [])].map(({ seq }) => seq)).toEqual([9]);
    expect(stories.last).toBe(9);
  });

  it("stand in the order of what happened, each once", () => {
    const stories = makeStories();
    for (const seq of [5, 2, 9, 2, 7]) stories.add(request(seq));
    expect(stories.all.map(({ head }) => head.seq)).toEqual([2, 5, 7, 9]);
  });

  it("fail by their answer, by a refusal, or by a receiver that did not take the webhook", () => {
    const failed = (...entries: Parameters<ReturnType<typeof makeStories>["add"]>[0][]) => {
      const stories = makeStories();
      for (const entry of entries) stories.add(entry);
      return stories.all.map(isFailed);
    };
    expect(failed(request(1), request(2, { status: 409 }), request(3, { status: null }))).toEqual([false, true, true]);
    expect(failed(act(1, "done"), act(2, "refused"))).toEqual([false, true]);
    expect(failed(request(1), attempt(2, "req-1", 500))).toEqual([true]);
    expect([199, 299, 300].map((status) => failed(request(1), attempt(2, "req-1", status))[0])).toEqual([
      ...[true, false, true],
    ]);
    expect(failed(request(1, { status: 399 }), request(2, { status: 400 }))).toEqual([false, true]);
    expect(failed(request(1), attempt(2, "req-1", 500), attempt(3, "req-1", 200))).toEqual([false]);
  });

  it("let the oldest go, and say how many", () => {
    const stories = makeStories();
    for (let seq = 1; seq <= 21_001; seq++) stories.add(request(seq));
    expect([stories.dropped, stories.all.length, stories.all[0]?.head.seq]).toEqual([1001, 20_000, 1002]);
  });

  it("let nothing go while older ones are added, however many there are", () => {
    const stories = makeStories();
    for (let before = 25_000; before > 0; before -= 1000)
      for (let seq = before - 999; seq <= before; seq++) stories.add(request(seq));
    expect([stories.dropped, stories.all.length, stories.all[0]?.head.seq]).toEqual([0, 25_000, 1]);
    for (let seq = 25_001; seq <= 26_001; seq++) stories.add(request(seq));
    expect([stories.dropped, stories.all.length, stories.all[0]?.head.seq]).toEqual([1001, 25_000, 1002]);
  });
});

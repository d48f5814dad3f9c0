// A rewind that was acknowledged survives a kill, and so do the history and its numbers: each number names one point, before and after.
import { afterEach, expect, it } from "vitest";
import { CLOCK, type OwnProcess, openNew, openOn, removeFolderOf } from "./own-process.ts";

let served: OwnProcess | undefined;
afterEach(async () => {
  if (!served) return;
  await served.end("SIGKILL");
  removeFolderOf(served.file);
});

const ask = async (path: string, body?: object, method = "POST") => {
  const how = body ? { method, body: JSON.stringify(body), headers: { "content-type": "application/json" } } : {};
  const answer = await fetch(`${served?.url}/_sandbox/${path}`, how);
  const text = await answer.text();
  return text === "" ? null : JSON.parse(text);
};

it("a world that is killed after a rewind is the rewound one, and the one before is in its snapshot", async () => {
  served = await openNew();
  const { file } = served;
  await served.book();
  const { kept, items } = await ask("history");
  const { seq } = items.at(-1);
  const one = await served.state();
  const stood = async () => {
    const state = await served?.state();
    for (const counters of state?.counters ?? []) Reflect.deleteProperty(counters, "went_back");
    return state;
  };
  await served.book();
  const two = await served.state();
  const { undone } = await ask("rewind", { to: seq });
  expect([undone, await stood()]).toEqual([1, one]);
  await served.end("SIGKILL");

  served = await openOn(file, { clock: null });
  expect(await stood()).toEqual(one);
  expect(kept.began.why).toBe("created");
  const later = await ask("history");
  expect(later.kept.began).toEqual(kept.began);
  expect(later.items.slice(0, items.length)).toEqual(items);
  expect(await ask("rewind", { to: "before-rewind" })).toMatchObject({ undone: expect.any(Number) });
  expect(await stood()).toEqual(two);
});

it("a number names its point after a kill, after a stop, and in a world that was removed and created again", async () => {
  const made = { id: "again", fixture: "empty", clock: CLOCK };
  served = await openNew();
  const { file } = served;
  await ask("worlds", made);
  await served.book();
  const first = (await ask("history")).items.at(-1).seq as number;
  const one = await served.bookings();
  await served.end("SIGKILL");

  served = await openOn(file, { clock: null });
  await ask("worlds/again", {}, "DELETE");
  await ask("worlds", made);
  expect((await ask("rewind?world=again", { to: String(first) })).message).toMatch(/since the world was created then/);
  await served.book();
  const second = (await ask("history")).items.at(-1).seq as number;
  expect(second).toBeGreaterThan(first);
  expect(second).toBeLessThan(first + 100);
  await served.end("SIGTERM");

  served = await openOn(file, { clock: null });
  expect((await ask("history")).items.map(({ seq }: { seq: number }) => seq)).toEqual(
    expect.arrayContaining([first, second]),
  );
  await served.book();
  expect((await ask("history")).items.at(-1).seq).toBeGreaterThan(second);
  await ask("rewind", { to: String(first) });
  expect(await served.bookings()).toEqual(one);
});

// A rewind that was answered survives a kill; the history itself begins anew with the process, and says so.
import { afterEach, expect, it } from "vitest";
import { type OwnProcess, openNew, openOn, removeFolderOf } from "./own-process.ts";

let served: OwnProcess | undefined;
afterEach(async () => {
  if (!served) return;
  await served.end("SIGKILL");
  removeFolderOf(served.file);
});

const ask = async (path: string, body?: object) => {
  const how = body
    ? { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } }
    : {};
  const answer = await fetch(`${served?.url}/_sandbox/${path}`, how);
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  return (await answer.json()) as any;
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
  const later = await ask("history");
  expect(later.kept.began.why).toBe("start");
  expect(kept.began.why).toBe("created");
  expect((await ask("rewind", { to: "before-rewind" })).code).toBe("MOMENT_UNKNOWN");
  await ask("snapshots/before-rewind/restore", {});
  expect(await stood()).toEqual(two);
});

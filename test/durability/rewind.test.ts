// A rewind that was answered survives a kill; the history itself begins anew with the process, and says so: what had a number is refused
// by it, and no other moment ever gets it.
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
  const later = await ask("history");
  expect(later.kept.began.why).toBe("start");
  expect(kept.began.why).toBe("created");
  expect((await ask("rewind", { to: "before-rewind" })).code).toBe("MOMENT_UNKNOWN");
  await ask("snapshots/before-rewind/restore", {});
  expect(await stood()).toEqual(two);
});

it("a number names its moment for ever: after a kill, after a stop, and in a world that was made anew", async () => {
  const runs: number[][] = [];
  /** All numbers that this run shows. */
  const note = async () => {
    const [{ items: entries }, { items: commits }] = [await ask("log"), await ask("history")];
    runs.push([...entries, ...commits].map(({ seq }) => seq as number));
  };
  const refusal = async (to: number, world: string) =>
    (await ask(`rewind?world=${world}`, { to: String(to) })).message as string;
  const earlier =
    /^\d+ is not kept: the history of world (\S+) begins with \d+, at \S+, since (.*) then\. \d+ is a number of an earlier run of the sandbox, whose history is not kept\.$/;
  const made = { id: "again", fixture: "empty", clock: CLOCK };

  served = await openNew();
  const { file } = served;
  await ask("worlds", made);
  await note();
  await served.end("SIGKILL");

  served = await openOn(file, { clock: null });
  await ask("worlds/again", {}, "DELETE");
  await ask("worlds", made);
  await served.book();
  await note();
  const latest = Math.max(...(runs[1] ?? []));
  for (const number of runs[0] ?? []) {
    expect(await refusal(number, "default")).toMatch(earlier);
    expect(await refusal(number, "again")).toMatch(earlier);
  }
  await served.end("SIGTERM");

  served = await openOn(file, { clock: null });
  await served.book();
  await note();
  for (const number of [...(runs[0] ?? []), ...(runs[1] ?? [])])
    expect(earlier.exec(await refusal(number, "default"))?.slice(1)).toEqual(["default", "the sandbox was started"]);
  const [first, second, third] = runs.map((run) => [Math.min(...run), Math.max(...run)] as const);
  expect(first?.[0]).toBeLessThan(20);
  expect(second?.[0]).toBeGreaterThan(100_000);
  // A stop gives back what was reserved.
  expect(third?.[0]).toBeGreaterThan(latest);
  expect(third?.[0]).toBeLessThan(latest + 50);
});

// History, diff and rewind read the activity log, which survives a restart and a kill: numbers continue, and each names its point for ever.
import { rmSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { CLOCK, type OwnProcess, openNew, openOn, removeFolderOf } from "./own-process.ts";

let served: OwnProcess | undefined;
afterEach(async () => {
  if (!served) return;
  await served.end("SIGKILL");
  removeFolderOf(served.file);
});

interface Past {
  changes: { collection: string }[];
}

const ask = async (path: string, body?: object, method = "POST") => {
  const how = body ? { method, body: JSON.stringify(body), headers: { "content-type": "application/json" } } : {};
  const answer = await fetch(`${served?.url}/_sandbox/${path}`, how);
  const text = await answer.text();
  return text === "" ? null : JSON.parse(text);
};

/** How often a world went back is no part of the point that it went back to. */
async function readState() {
  const state = await served?.state();
  for (const counters of state?.counters ?? []) Reflect.deleteProperty(counters, "went_back");
  return state;
}

async function restart(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  const { file = "" } = served ?? {};
  await served?.end(signal);
  served = await openOn(file, { clock: null });
}

/** `limit`: of a process that was restarted, whose client has requested another token. */
const readPast = async (limit = Number.POSITIVE_INFINITY) => {
  const { items, kept } = await ask("history");
  return { items: items.slice(0, limit), from: kept.from, began: kept.began };
};

async function readDifferences(from: number | string) {
  const { changes } = await ask(`diff?from=${from}`);
  return changes.filter(({ collection }: { collection: string }) => collection !== "tokens");
}

describe.each(["SIGTERM", "SIGKILL"] as const)("After %s", (signal) => {
  it("the history, a diff and a rewind are the same as before", async () => {
    served = await openNew();
    await served.book();
    const { seq } = (await ask("history")).items.at(-1);
    const one = await readState();
    await ask("snapshots/noon", {}, "PUT");
    await served.book();
    await served.book();
    const [two, past, diff] = [await readState(), await readPast(), await readDifferences(seq)];
    await restart(signal);
    expect([await readState(), await readPast(past.items.length)]).toEqual([two, past]);
    expect(past.began.why).toBe("created");
    expect([await readDifferences(seq), await readDifferences("noon")]).toEqual([diff, diff]);
    const cause = past.items.at(-1).cause.id;
    expect((await ask(`history?caused_by=${cause}`)).items).toEqual(past.items.slice(-1));

    const { undone, undo } = await ask("rewind", { to: seq });
    expect([undone, await readState()]).toEqual([3, one]);
    await restart(signal);
    expect(await readState()).toEqual(one);
    expect((await ask(`why/${cause}`)).notes.join()).toContain("and undid everything that this caused");
    await ask("rewind", { to: "before-rewind" });
    expect(await readState()).toEqual(two);
    await ask("rewind", { to: seq });
    await ask("rewind", { to: undo.to });
    expect(await readState()).toEqual(two);
    await ask("snapshots/before-rewind/restore", {});
    expect(await readState()).toEqual(one);
  });

  it("a restored snapshot is a point of the history that begins with it", async () => {
    served = await openNew();
    await ask("snapshots/noon", {}, "PUT");
    const one = await readState();
    await ask("snapshots/noon/restore", {});
    await served.book();
    await restart(signal);
    expect((await ask("history")).kept.began.why).toBe("restore");
    expect((await ask("rewind", { to: "noon" })).undone).toBeGreaterThan(0);
    expect(await readState()).toEqual(one);
  });
});

it("a change number is never reused: after a kill, after a stop, and in a world that was created again", async () => {
  const runs: number[][] = [];
  const note = async () => {
    const [{ items: entries }, { items: commits }] = [await ask("log"), await ask("history")];
    const numbers: number[] = [...entries, ...commits].map(({ seq }) => seq);
    const known = new Set(runs.flat());
    runs.push(numbers.filter((number) => !known.has(number)));
  };
  const created = { id: "again", fixture: "empty", clock: CLOCK };
  served = await openNew();
  await ask("worlds", created);
  await note();
  await restart("SIGKILL");
  await ask("worlds/again", {}, "DELETE");
  await ask("worlds", created);
  await served.book();
  await note();
  for (const number of runs[0] ?? [])
    expect((await ask("rewind?world=again", { to: number })).message).toMatch(/since the world was created then\.$/);
  await restart("SIGTERM");
  await served.book();
  await note();
  const [first = [], second = [], third = []] = runs;
  expect(Math.min(...first)).toBeLessThan(20);
  expect(Math.min(...second)).toBeGreaterThan(Math.max(...first));
  expect(Math.min(...third)).toBeGreaterThan(Math.max(...second));
  expect(Math.max(...third)).toBeLessThan(100);
});

it("without the log, the history begins with the start, and the state is the same", async () => {
  served = await openNew();
  await served.book();
  const { file } = served;
  const state = await readState();
  await served.end("SIGTERM");
  rmSync(`${file}.log`);
  served = await openOn(file, { clock: null });
  expect(await readState()).toEqual(state);
  const { kept, items } = await ask("history");
  expect([kept.began.why, items.map(({ changes }: Past) => changes[0]?.collection)]).toEqual(["start", ["tokens"]]);
});
